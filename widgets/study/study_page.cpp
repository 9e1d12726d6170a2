#include "widgets/study/study_page.h"

#include "widgets/base/fact_strip.h"
#include "widgets/study/form_lines.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace stagecraft {

StudyPage layOutStudy(QWidget *view, FormLines *form, QWidget *below, QWidget *content)
{
    const StudyPage made{new FactStrip(view), new QLabel(view), new QStackedLayout};
    made.hint->setObjectName(QStringLiteral("hint"));
    made.hint->setAlignment(Qt::AlignCenter);
    made.hint->setWordWrap(true);
    made.hint->setMargin(12);
    auto *column = new QVBoxLayout(view);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *top = new QHBoxLayout;
    top->setContentsMargins(8, 3, 8, 0);
    top->addWidget(form);
    column->addLayout(top);
    auto *line = new QHBoxLayout;
    line->setContentsMargins(8, 2, 8, 2);
    line->addWidget(made.facts);
    column->addLayout(line);
    if (below)
        column->addWidget(below);
    made.stack->addWidget(made.hint);
    made.stack->addWidget(content);
    column->addLayout(made.stack, 1);
    view->setMinimumSize(160, 150);
    return made;
}

} // namespace stagecraft
