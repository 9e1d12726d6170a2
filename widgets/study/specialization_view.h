#pragma once

// The cross table of specialisation (IOS, table 3): a column for each batch size or device that a schedule is made for,
// a row for each that it runs on. Cells are coloured by how far they are from the best of their row. A click opens the
// schedule, a double click compares it with the one made for the row. Lives on the UI thread and knows no device.

#include "support/result.h"
#include "timing/provenance.h"
#include "widgets/base/theme.h"

#include <QStringList>
#include <QWidget>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct CrossCell {
    double us = 0;
    double halfWidthUs = 0; // of the 95 % interval; 0: exact or unknown
    Provenance provenance = Provenance::Simulated;
    bool isSumOfStages = false;
    bool isAtLeast = false; // work is missing from the latency
};

// As many rows as columns, in the same order.
struct CrossTable {
    QStringList places;
    std::vector<std::optional<CrossCell>> cells; // row by row
    std::vector<bool> isMade;                    // by column: the schedule is there

    [[nodiscard]] const std::optional<CrossCell> &cell(std::size_t row, std::size_t column) const
    {
        return cells[row * static_cast<std::size_t>(places.size()) + column];
    }
    [[nodiscard]] std::optional<double> bestOf(std::size_t row) const;
};

// From the best of a row, tinted as faster, to much slower. `aboveBest`: 0.1 for 10 % more latency.
[[nodiscard]] QColor crossCellFill(const Theme &theme, double aboveBest);

// As a spreadsheet reads it: latencies in microseconds, the provenance last.
[[nodiscard]] QString csvOf(const CrossTable &table);

struct OfferedDevice {
    std::string id;
    QString title;
};

class SpecializationView : public QWidget {
    Q_OBJECT

public:
    explicit SpecializationView(QWidget *parent = nullptr);
    ~SpecializationView() override;

    // InvalidInput, naming the field, if the batches cannot be read. Empty: the model's own.
    [[nodiscard]] Result<std::vector<std::int64_t>> batches() const;
    void setBatches(const std::vector<std::int64_t> &batches);
    void offerDevices(const std::vector<OfferedDevice> &devices); // chosen ones stay chosen
    [[nodiscard]] std::vector<std::string> devices() const;       // chosen, in the order offered
    void setDevices(const std::vector<std::string> &ids);         // those not offered yet are chosen when they are

    void setReady(const QString &whyNot); // empty: there is something to make
    void setRunning(bool running);
    void setTable(const CrossTable &table);
    void showProgress(const QString &text); // empty: none

    [[nodiscard]] const CrossTable &table() const;
    [[nodiscard]] bool hasCells() const;
    void copyCsv() const;
    [[nodiscard]] QString plainSummary() const;
    [[nodiscard]] QString hint() const; // instead of the table; empty: the table is shown

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void startRequested();
    void stopRequested();
    void placesChanged();
    void opened(std::size_t row, std::size_t column);
    void compared(std::size_t row, std::size_t column);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
