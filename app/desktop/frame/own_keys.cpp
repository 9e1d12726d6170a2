#include "desktop/frame/own_keys.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

namespace stagecraft {
namespace {

const QString kGroup = QStringLiteral("keys");
const QString kFormat = QStringLiteral("stagecraft_keys"); // the member that says the version of the file
const QString kMember = QStringLiteral("keys");
constexpr int kVersion = 1;

} // namespace

OwnKeys &OwnKeys::ofProgram()
{
    auto *found = qApp->findChild<OwnKeys *>(QString(), Qt::FindDirectChildrenOnly);
    return found ? *found : *new OwnKeys(qApp);
}

KeysByName OwnKeys::all() const
{
    QSettings settings;
    settings.beginGroup(kGroup);
    KeysByName keys;
    for (const QString &name : settings.childKeys())
        keys[name] = QKeySequence(settings.value(name).toString(), QKeySequence::PortableText);
    return keys;
}

void OwnKeys::set(const KeysByName &keys)
{
    QSettings settings;
    settings.remove(kGroup);
    settings.beginGroup(kGroup);
    for (auto entry = keys.begin(); entry != keys.end(); ++entry)
        settings.setValue(entry.key(), entry.value().toString(QKeySequence::PortableText));
    emit changed();
}

QString whyNotOfAnEntry(const QKeySequence &keys)
{
    for (int i = 0; i < keys.count(); ++i) {
        const QKeyCombination one = keys[static_cast<uint>(i)];
        const bool hasModifier = one.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
        const bool isFunction = one.key() >= Qt::Key_F1 && one.key() <= Qt::Key_F35;
        if (one.key() == Qt::Key_unknown)
            return QStringLiteral("these are no keys");
        if (!hasModifier && !isFunction)
            return QStringLiteral(
                       "%1 alone is used by panes and fields: hold Ctrl or Alt with it, or take a function key")
                .arg(QKeySequence(one).toString(QKeySequence::NativeText));
    }
    return {};
}

std::string keysText(const KeysByName &keys)
{
    QJsonObject members;
    for (auto entry = keys.begin(); entry != keys.end(); ++entry)
        members[entry.key()] = entry.value().toString(QKeySequence::PortableText);
    return QJsonDocument(QJsonObject{{kFormat, kVersion}, {kMember, members}}).toJson().toStdString();
}

Result<KeysByName> keysFrom(const std::string &text)
{
    const QString remedy = QStringLiteral("Choose a file that Help > Change keys > Export wrote");
    QJsonParseError wrong;
    const QJsonObject file = QJsonDocument::fromJson(QByteArray::fromStdString(text), &wrong).object();
    if (wrong.error != QJsonParseError::NoError)
        return fail(ErrorCode::InvalidInput, "it is not JSON: " + wrong.errorString().toStdString(),
                    remedy.toStdString());
    if (file[kFormat].toInt() != kVersion || !file[kMember].isObject())
        return fail(ErrorCode::InvalidInput, "these are not the keys of Stagecraft", remedy.toStdString());
    const QJsonObject members = file[kMember].toObject();
    KeysByName keys;
    for (auto member = members.begin(); member != members.end(); ++member) {
        const QKeySequence made(member->toString(), QKeySequence::PortableText);
        if (!member->isString() || (made.isEmpty() && !member->toString().isEmpty()) ||
            (made.count() > 0 && made[0].key() == Qt::Key_unknown))
            return fail(ErrorCode::InvalidInput,
                        "the entry " + member.key().toStdString() + " has something else than keys",
                        "Write keys as in \"Ctrl+Shift+P\", or \"\" for none");
        keys[member.key()] = made;
    }
    return keys;
}

} // namespace stagecraft
