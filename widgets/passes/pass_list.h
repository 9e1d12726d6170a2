#pragma once

// The passes in the order in which they run, a line and a sentence each, with a box that switches each off. A press on
// a box only asks: the box says how the model was read, always. Lives on the UI thread.

#include "widgets/passes/pass_rows.h"

#include <QAbstractListModel>
#include <QListView>

#include <vector>

namespace stagecraft {

class PassListModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;

    void setRows(std::vector<PassRow> rows);
    void setBusy(bool busy); // no box can be pressed
    [[nodiscard]] const PassRow &row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;

signals:
    void switchRequested(const QString &pass, bool on);

private:
    std::vector<PassRow> m_rows;
    bool m_isBusy = false;
};

class PassList : public QListView {
    Q_OBJECT

public:
    explicit PassList(QWidget *parent = nullptr);

    [[nodiscard]] PassListModel *rows() const { return m_rows; }
    [[nodiscard]] QString current() const; // its name; empty: none
    void choose(const QString &pass);

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void chosen();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    PassListModel *m_rows;
};

} // namespace stagecraft
