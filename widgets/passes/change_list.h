#pragma once

// What a pass changed, a row per unit: the operators that it took, and the unit that they are part of. Texts are made
// for the rows in sight only. Lives on the UI thread.

#include "widgets/passes/pass_rows.h"

#include <QAbstractListModel>
#include <QListView>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QLineEdit;

namespace stagecraft {

class ElidedLabel;

class ChangeListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { BeforeRole = Qt::UserRole, AfterRole };

    using QAbstractListModel::QAbstractListModel;

    // `report` is one of the model's; null: none.
    void setReport(std::shared_ptr<const Model> model, const PassReport *report);
    void setFilter(const QString &text); // part of a name or type, before or after; without regard to case
    [[nodiscard]] const PassReport *report() const { return m_report; }
    [[nodiscard]] const PassChangeRow &row(int index) const { return m_rows[m_shown[static_cast<std::size_t>(index)]]; }
    [[nodiscard]] int rowOf(OperatorId unit) const; // -1: not shown
    [[nodiscard]] std::size_t rowsInAll() const { return m_rows.size(); }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;

private:
    void filter();
    [[nodiscard]] bool matches(const PassChangeRow &row) const;

    std::shared_ptr<const Model> m_model;
    const PassReport *m_report = nullptr;
    std::vector<PassChangeRow> m_rows;
    std::vector<std::size_t> m_shown;
    QString m_filter;
};

class ChangeList : public QWidget {
    Q_OBJECT

public:
    explicit ChangeList(QWidget *parent = nullptr);

    void setReport(const std::shared_ptr<const Model> &model, const PassReport *report);
    void setHint(const QString &text);                  // instead of rows
    [[nodiscard]] const PassChangeRow *current() const; // null: none
    void choose(OperatorId unit);                       // the row of the unit, if there is one
    [[nodiscard]] QListView *list() const { return m_list; }
    [[nodiscard]] ChangeListModel *rows() const { return m_rows; }
    [[nodiscard]] QString countsText() const;

signals:
    void chosen();

private:
    void showCounts();

    ChangeListModel *m_rows;
    QListView *m_list;
    QLineEdit *m_filter;
    ElidedLabel *m_hint;
};

} // namespace stagecraft
