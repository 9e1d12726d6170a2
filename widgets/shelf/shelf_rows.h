#pragma once

// The rows of the shelf as they are read: every word and number of a result, ready to be drawn. Pure functions.

#include "shelf/shelf_order.h"
#include "shelf/shelf_words.h"

#include <QMetaType>
#include <QString>

#include <map>
#include <string>
#include <vector>

namespace stagecraft {

// What rows are held against.
struct ShelfContext {
    bool isOpen = false;                         // a model is
    MeasurementSettings chosen;                  // of the next search
    SearchRecord asked;                          // r, s and single source of the next search
    ResultId running;                            // whose search says how long it takes:
    QString timeLeft;                            // "about 12 s left"; empty: not known
    ResultId shown;                              // in the schedule pane in focus
    std::map<ResultId, QString> letters;         // of the panes, where there are several
    std::map<std::string, QString> deviceTitles; // by id
};

struct ShelfRow {
    ResultId id;
    QString name;
    QString detail;    // what made it, what it is equal to
    QString latency;   // of a search under way: its best so far
    QString interval;  // "± 0.4 %"; empty: exact, or not known
    QString speedup;   // "1.66×"; empty of the baseline itself
    QString reason;    // why it is grey; empty: it fits
    QString note;      // a person's, or why it failed
    QString proofText; // "optimal", "stopped, within 8.0 %"
    QString gap;       // "gap 8.0 %"; of Proof::Gap
    QString spoken;    // for screen readers
    QString letters;   // of the panes that show it: "A", "A, C"; empty where there is one pane
    double share = 0;  // of the slowest of its group
    Provenance provenance = Provenance::Simulated;
    Proof proof = Proof::None;
    ResultState state = ResultState::Done;
    bool isShown = false;
    bool isBaseline = false;
    bool isPinned = false;
    bool isOfOtherSearch = false; // than the tool bar describes: grey, and its detail says why
    bool isDisturbed = false;     // what its latency rests on, or a stage's: measuring again may help

    friend bool operator==(const ShelfRow &, const ShelfRow &) = default;
};

struct ShelfRowGroup {
    QString title;  // "inception_v3, batch 1"
    QString device; // "NVIDIA Tesla V100 SXM2 (simulated)"
    bool fits = false;
    std::vector<ShelfRow> rows;
};

[[nodiscard]] ShelfRow shelfRow(const Shelf &shelf, ResultId id, const ShelfContext &context);
// All there is to say of a result, line by line.
[[nodiscard]] QString shelfToolTip(const Shelf &shelf, ResultId id, const ShelfContext &context);
[[nodiscard]] std::vector<ShelfRowGroup> shelfRows(const Shelf &shelf, const ShelfContext &context, ShelfOrder order,
                                                   const QString &filter);

} // namespace stagecraft

Q_DECLARE_METATYPE(stagecraft::ShelfRow)
