# Programs on a CPU, where groups and streams are threads, and on a GPU, where they are streams.


class Lane(threading.Thread):
    """A thread that runs groups with its share of the processors, from the one numbered `first`. Its operators never use
    more: a team of OpenMP that changes its size would start threads anew."""

    def __init__(self, first, threads):
        super().__init__(daemon=True)
        self.first, self.threads, self.calls = first, threads, queue.SimpleQueue()
        self.start()

    def run(self):
        torch.get_num_threads()  # the first use of threads in a thread takes the number of the process
        torch.set_num_threads(self.threads)
        torch.set_grad_enabled(False)
        while True:
            call, done = self.calls.get()
            try:
                call()
                done.put(None)
            except BaseException as error:
                done.put(error)


def shares_of(threads, lanes):
    """The processors divided among lanes: the first ones get what remains."""
    return [max(1, threads // lanes + (lane < threads % lanes)) for lane in range(lanes)]


class CpuRunner:
    """Groups run on as many threads as there are processors for, each taking the next when it has ended one; the only group
    of a stage runs on the thread that asks, with all processors."""

    def __init__(self, session):
        self.session, self.threads, self.teams = session, session.options.threads, {}

    def finish(self):
        pass

    def team(self, size):
        if size not in self.teams:
            shares = shares_of(self.threads, size)
            self.teams[size] = [Lane(sum(shares[:place]), share) for place, share in enumerate(shares)]
            self.concurrently([lambda: None] * size)  # they have set their threads
            torch.set_num_threads(self.threads)  # some libraries have one number for the process
        return self.teams[size]

    def concurrently(self, calls):
        team, done = self.team(len(calls)), queue.SimpleQueue()
        for lane, call in zip(team, calls):
            lane.calls.put((call, done))
        errors = [error for error in [done.get() for _ in calls] if error is not None]
        if errors:
            raise errors[0]

    def run(self, program, t, around=None):
        """`around(item, t)` runs an item where it is given."""
        if program.launches:
            self.run_launches(program, t, around)
            return
        for stage in program.stages:
            if len(stage.groups) == 1:
                run_items(stage.groups[0], t, around)
            else:
                self.run_groups(stage.groups, t, around)

    def run_groups(self, groups, t, around):
        waiting = collections.deque(groups)

        def run_lane():
            while True:
                try:
                    items = waiting.popleft()
                except IndexError:
                    return
                run_items(items, t, around)

        size = min(len(groups), self.threads)
        if size > 1:
            self.concurrently([run_lane] * size)
        else:
            run_lane()

    def run_launches(self, program, t, around):
        ends = {place: threading.Event() for place in program.awaited}
        lanes = [[] for _ in range(program.streams)]
        for place, launch in enumerate(program.launches):
            lanes[launch.stream].append((place, launch))
        failed = []

        def run_lane(launches):
            for place, launch in launches:
                for before in launch.waits:
                    ends[before].wait()
                try:
                    if not failed:
                        run_items([launch.item], t, around)
                except BaseException as error:
                    failed.append(error)
                if place in ends:
                    ends[place].set()

        if len(lanes) == 1:
            run_lane(lanes[0])
        else:
            self.concurrently([lambda launches=launches: run_lane(launches) for launches in lanes])
        if failed:
            raise failed[0]

    def measure(self, program, effort):
        t = self.session.fresh()

        def runs(number):
            start = time.perf_counter_ns()
            for _ in range(number):
                self.run(program, t)
            return (time.perf_counter_ns() - start) / 1e3

        return measure(runs, effort, processor_clock, self.session.check_stop)


def run_items(items, t, around=None):
    for item in items:
        if around is None:
            item(t)
        else:
            around(item, t)


class GpuRunner:
    def __init__(self, session):
        self.session, self.side, self.clocks = session, [], GpuClocks(session.options.number)
        self.told_no_graph = False
        torch.cuda.set_device(session.device)
        self.origin = torch.cuda.Stream(session.device)

    def finish(self):
        torch.cuda.synchronize(self.session.device)

    def streams(self, count):
        """The one that a program begins and ends on, and others."""
        while len(self.side) < count - 1:
            self.side.append(torch.cuda.Stream(self.session.device))
        return [torch.cuda.current_stream(self.session.device)] + self.side[: count - 1]

    def run(self, program, t, around=None):
        """Tensors that others may still read are held by `t`: their memory is not used again meanwhile."""
        if program.launches:
            self.run_launches(program, t, around)
            return
        for stage in program.stages:
            if len(stage.groups) == 1:
                run_items(stage.groups[0], t, around)
            else:
                self.run_turns(stage, t, around)

    def run_turns(self, stage, t, around):
        streams = self.streams(len(stage.groups))
        start, begun = streams[0].record_event(), []
        for group, items in stage.turns:
            if group > 0 and group not in begun:
                streams[group].wait_event(start)
                begun.append(group)
            with torch.cuda.stream(streams[group]):
                run_items(items, t, around)
        for group in begun:
            streams[0].wait_event(streams[group].record_event())

    def run_launches(self, program, t, around):
        streams, events = self.streams(program.streams), {}
        start = streams[0].record_event()
        for stream in streams[1:]:
            stream.wait_event(start)
        for place, launch in enumerate(program.launches):
            for before in launch.waits:
                streams[launch.stream].wait_event(events[before])
            with torch.cuda.stream(streams[launch.stream]):
                run_items([launch.item], t, around)
            if place in program.awaited:
                events[place] = streams[launch.stream].record_event()
        for stream in streams[1:]:
            streams[0].wait_event(stream.record_event())

    def captured(self, program, repeats):
        """A CUDA graph of that many runs, and what it writes, or None where PyTorch cannot capture an operator."""
        graph, t = torch.cuda.CUDAGraph(), self.session.fresh()
        try:
            with torch.cuda.stream(self.origin):  # libraries choose and load kernels, which a capture must not
                for _ in range(2):
                    self.run(program, t)
            self.finish()
            t = self.session.fresh()
            with torch.cuda.graph(graph, stream=self.origin):
                for _ in range(repeats):
                    self.run(program, t)
            graph.replay()
            self.finish()
            return graph, t
        except RuntimeError as error:
            if refusal_of(error).worker_ends and "captur" not in str(error):
                raise
            if not self.told_no_graph:
                self.told_no_graph = True
                complain(f"timed without a CUDA graph, since PyTorch captures none: {str(error).splitlines()[0]}")
            return None

    def measure(self, program, effort):
        repeats = effort.repeats
        made = self.captured(program, repeats)
        t = self.session.fresh()

        def once():
            for _ in range(repeats):
                self.run(program, t)

        launch = made[0].replay if made else once
        stream = torch.cuda.current_stream(self.session.device)

        def runs(number):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record(stream)
            for _ in range(number):
                launch()
            end.record(stream)
            end.synchronize()
            return max(1e3 * start.elapsed_time(end) / repeats, 0.01)

        sample = measure(runs, effort, self.clocks.read, self.session.check_stop)
        sample.runs *= repeats
        return sample
