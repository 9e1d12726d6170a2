#pragma once

// An area of the window: its views, its actions, and what connects them with the document, and the work that
// it needs done. Areas meet in the document's signals and in their own, which areas.cpp connects. Lives on the UI
// thread.

#include "desktop/frame/actions.h"

#include <QMainWindow>
#include <QObject>
#include <QString>

#include <functional>
#include <string_view>
#include <vector>

class QPoint;
class QWidget;

namespace stagecraft {

class Document;
class Editor;
class MessageBar;
class NewResults;
class NextSearch;
class Panels;
class ResultQueue;
class Results;
class Selection;
struct Error;
struct ExportSubject;
struct Services;
struct Session;

// What all areas share; outlives them.
struct AreaContext {
    QMainWindow &window;
    Document &document;
    const Services &services;
    ResultQueue &queue;
    Selection &selection;
    Actions &actions;
    MessageBar &messages;
    Panels &panels;
};

// A panel around the schedule.
struct Dock {
    int place; // among all, from 1; the first ones have the digits as their keys
    QString title;
    const char *name;
    QWidget *view;
    QString keys = {};
};

class Area : public QObject {
    Q_OBJECT

public:
    explicit Area(const AreaContext &context);

    [[nodiscard]] virtual std::vector<Dock> docks() const { return {}; }

    virtual void docked() {}  // its panels are in the window
    virtual void refresh() {} // texts of its actions, and whether they are enabled
    virtual void changePalette() {}
    virtual void cancel() {} // the window closes: its work ends and delivers nothing
    [[nodiscard]] virtual bool isBusy() const { return false; }
    virtual void store(Session & /*session*/) const {} // its view and studies
    virtual void restore(const Session & /*session*/) {}
    virtual void addTo(ExportSubject & /*subject*/) const {} // what an export may be made of

signals:
    void busyChanged(); // actions may have to be enabled
    void viewChanged(); // what store() writes

protected:
    [[nodiscard]] QMainWindow &window() const { return m_context.window; }
    [[nodiscard]] Document &document() const { return m_context.document; }
    [[nodiscard]] NextSearch &next() const; // of the document
    [[nodiscard]] Results &results() const;
    [[nodiscard]] NewResults &added() const;
    [[nodiscard]] Editor &editor() const;
    [[nodiscard]] const Services &services() const { return m_context.services; }
    [[nodiscard]] ResultQueue &queue() const { return m_context.queue; }
    [[nodiscard]] Selection &selection() const { return m_context.selection; }
    [[nodiscard]] Actions &actions() const { return m_context.actions; }
    [[nodiscard]] MessageBar &messages() const { return m_context.messages; }
    [[nodiscard]] Panels &panels() const { return m_context.panels; }

    void refuse(const Error &error) const;                      // in the message bar
    void tell(const QString &text, int milliseconds = 0) const; // in the status bar; 0: until the next
    void openMenu(const QPoint &at, const std::vector<std::string_view> &entries) const;
    // The right button or the menu key opens a menu of these entries. Call it when the view has all its parts.
    void offerMenu(QWidget *view, const std::vector<std::string_view> &entries);
    void offerMenu(QWidget *view, const std::function<void(const QPoint &)> &open); // at this global position

private:
    AreaContext m_context;
};

} // namespace stagecraft
