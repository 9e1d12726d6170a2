#pragma once

// The texts of the shelf's rows: every word and number of a result, ready to be drawn. Pure functions.

#include "results/shelf_order.h"
#include "results/shelf_words.h"

#include <QMetaType>
#include <QString>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace stagecraft {

// What verifying a result found.
struct ShelfVerified {
    QString text; // "Verified: no race ..."
    bool isSafe = false;
};

// What rows are compared with.
struct ShelfContext {
    bool isOpen = false;                           // a model is open
    RunContext chosen;                             // for the next search
    SearchRecord asked;                            // r, s and single source of the next search
    ResultId running;                              // the search that `timeLeft` belongs to
    QString timeLeft;                              // "about 12 s left"; empty: unknown
    std::map<ResultId, QString> waits;             // "waits for IOS-Both, 12 s so far": instead of what is being done
    ResultId shown;                                // in the focused schedule pane
    std::map<ResultId, std::size_t> livePeakBytes; // of memory, where it is planned
    std::map<ResultId, ShelfVerified> verified;    // where it was
    std::map<ResultId, QString> letters;           // of the panes, if there are several
    std::map<std::string, QString> deviceTitles;   // by id
};

struct ShelfRow {
    ResultId id;
    QString name;
    QString detail;    // how it was made, which result it equals
    QString latency;   // of a running search: its best so far
    QString interval;  // "± 0.4 %"; empty: exact or unknown
    QString speedup;   // "1.66×"; empty for the baseline itself
    QString reason;    // why it is greyed out; empty: it fits
    QString note;      // the user's note, or why it failed
    QString proofText; // "best schedule with barriers (r 3, s 8)", "stopped, within 8.0 %"
    QString gap;       // "gap 8.0 %"; for Proof::Gap
    QString spoken;    // for screen readers
    QString letters;   // of the panes that show it: "A", "A, C"; empty if there is only one pane
    double share = 0;  // relative to the slowest of its group
    Provenance provenance = Provenance::Simulated;
    Proof proof = Proof::None;
    ResultState state = ResultState::Done;
    bool isShown = false;
    bool isBaseline = false;
    bool isPinned = false;
    bool isVerified = false;  // nothing was found that can go wrong
    bool isDisturbed = false; // its latency or a stage's was disturbed: measuring again may help

    friend bool operator==(const ShelfRow &, const ShelfRow &) = default;
};

struct ShelfRowGroup {
    RunContext settings;
    QString title;  // "inception_v3, batch 1"
    QString device; // "NVIDIA Tesla V100 SXM2 (simulated)"
    bool fits = false;
    std::vector<ShelfRow> rows;
};

[[nodiscard]] ShelfRow shelfRow(const Shelf &shelf, ResultId id, const ShelfContext &context);
// "IOS-Both · r 3, s 8 · 3.92 ms", with why it is greyed out.
[[nodiscard]] QString rowText(const ShelfRow &row);
// All facts about a result, line by line.
[[nodiscard]] QString shelfToolTip(const Shelf &shelf, ResultId id, const ShelfContext &context);
[[nodiscard]] std::vector<ShelfRowGroup> shelfRows(const Shelf &shelf, const ShelfContext &context, ShelfOrder order,
                                                   const QString &filter);

} // namespace stagecraft

Q_DECLARE_METATYPE(stagecraft::ShelfRow)
