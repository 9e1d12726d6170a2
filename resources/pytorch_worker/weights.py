# Values of constants that programs on other machines sent, by their SHA-256: the files of app/worker/weight_cache.h, in
# the same folder and within the same limit, so that a model travels once to a machine, whichever worker takes it.

WEIGHTS_LIMIT = 8 << 30  # bytes
IS_HASH = re.compile("[0-9a-f]{64}")  # no path leads out of the folder through one


def own_weights():
    given = re.match(r"\d+", os.environ.get("STAGECRAFT_WEIGHTS_LIMIT", ""))
    return WeightCache(weights_folder(), int(given.group()) if given else WEIGHTS_LIMIT)


def weights_folder():
    """As core/support/user_folders.cpp finds it; None: the account has no folder."""
    cache, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    if not cache.startswith("/"):
        if not home.startswith("/"):
            try:
                home = pwd.getpwuid(os.geteuid()).pw_dir
            except KeyError:
                return None
        cache = os.path.join(home, ".cache")
    return os.path.join(cache, "stagecraft", "weights")


def make_private_folders(folder):
    if not os.path.isdir(folder):
        make_private_folders(os.path.dirname(folder))
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def write_whole(path, data):
    """Others see all of it or nothing."""
    handle, part = tempfile.mkstemp(prefix=".stagecraft-", suffix=".part", dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except OSError:
        os.unlink(part)
        raise


class WeightCache:
    """What does not fit, or cannot be written, is held in memory."""

    def __init__(self, folder, limit):
        self.folder, self.limit, self.wanted, self.held = folder if limit else None, limit, set(), {}
        try:
            if self.folder:
                make_private_folders(self.folder)
        except OSError:
            self.folder = None

    def path(self, name):
        return os.path.join(self.folder, name) if self.folder and IS_HASH.fullmatch(name) else None

    def lacking(self, names):
        """Of the names those that it lacks. The others stay until the next call, whatever else is kept."""
        self.wanted = set(names)
        self.held = {name: values for name, values in self.held.items() if name in self.wanted}
        return [name for name in sorted(self.wanted) if name not in self.held and not os.path.exists(self.path(name) or "")]

    def keep(self, name, values):
        if hashlib.sha256(values).hexdigest() != name:
            raise Refused(INVALID_INPUT, "weights arrived with another hash than their own", "try again")
        try:
            if self.folder and self.make_room(len(values)):
                write_whole(self.path(name), values)
                return
        except OSError:
            pass  # no space, or no rights any more
        self.held[name] = values

    def make_room(self, count):
        """Removes what was not used for longest, until that many bytes fit. False: they do not."""
        files = []
        for entry in os.scandir(self.folder):
            with contextlib.suppress(FileNotFoundError):  # another worker may remove it
                if IS_HASH.fullmatch(entry.name):
                    files.append((entry.stat().st_mtime_ns, entry.stat().st_size, entry.name))
        total = count + sum(size for _, size, _ in files)
        for _, size, name in sorted(files):
            if total > self.limit and name not in self.wanted:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.path(name))
                total -= size
        return total <= self.limit

    def values(self, name):
        """None: it lacks them. A file whose content has another hash is removed."""
        path = self.path(name)
        if name in self.held or path is None:
            return self.held.get(name)
        with contextlib.suppress(OSError):
            with open(path, "rb") as file:
                values = bytearray(os.fstat(file.fileno()).st_size)
                count = file.readinto(values)
            if count == len(values) and hashlib.sha256(values).hexdigest() == name:
                os.utime(path)  # it was used
                return values
            os.unlink(path)
        return None
