#pragma once

// Gain over Sequential against size, a line for IOS-Both and one for Greedy, with 95 % intervals where there are any, a
// line at 1 and one at each size where the gain of IOS-Both crosses it. Hovering tells about a size, a click or Enter
// chooses it; arrows, Home and End go from size to size, Escape leaves them. Lives on the UI thread.

#include "results/size_point.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class QImage;

namespace stagecraft {

// "tokens 32: Sequential 157 µs, Greedy 104 µs (1.51x), IOS-Both 95.2 µs (1.65x); simulated"
[[nodiscard]] QString sizeText(const SizePoint &point, const QString &parameter);

class SizePlot : public QWidget {
    Q_OBJECT

public:
    explicit SizePlot(QWidget *parent = nullptr);
    ~SizePlot() override;

    void setPoints(std::vector<SizePoint> points, const QString &parameter); // ascending by size
    [[nodiscard]] const std::vector<SizePoint> &points() const;
    [[nodiscard]] std::optional<std::size_t> current() const;
    [[nodiscard]] QImage picture() const; // at twice the resolution

    [[nodiscard]] QPoint placeOf(std::size_t point, std::size_t schedule) const; // for tests
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void chosen(qint64 size);

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
