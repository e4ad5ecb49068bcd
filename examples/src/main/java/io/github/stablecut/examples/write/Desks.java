package io.github.stablecut.examples.write;

import io.github.stablecut.examples.datacentre.Cable;
import io.github.stablecut.examples.datacentre.Cables;
import io.github.stablecut.examples.datacentre.DataCentreGroup;
import io.github.stablecut.examples.trace.Trace;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.web.Signal;
import io.github.stablecut.web.WebException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Two desks, each a data centre, with their cable and windows. Thread-safe. */
final class Desks implements AutoCloseable {
  static final List<String> NAMES = List.of("Oslo", "Lima");

  private static final String WELCOME =
      "Write here. Another author may write at the same time, in this place or the other one.\n";

  private final Cables cables;
  private final DataCentreGroup group;
  private final Signal signal = new Signal();
  private final List<Desk> desks;
  private final Optional<TraceReplay> replay;
  private final Map<String, Window> windows = new ConcurrentHashMap<>();
  private final AtomicInteger opened = new AtomicInteger();

  private Desks(Cables cables, DataCentreGroup group, Optional<Trace> trace, int perSecond) {
    this.cables = cables;
    this.group = group;
    this.desks =
        IntStream.range(0, NAMES.size())
            .mapToObj(number -> new Desk(number, NAMES.get(number), group.store(number), signal))
            .toList();
    this.replay = trace.map(recorded -> new TraceReplay(recorded, perSecond, desks.get(0)));
  }

  /**
   * Opens the stores of both desks.
   *
   * @param directory empty or missing
   * @param trace can be replayed at the first desk
   * @param perSecond the number of its transactions per second
   */
  static Desks open(Path directory, Optional<Trace> trace, int perSecond) {
    Cables cables = new Cables(NAMES.size());
    DataCentreGroup group =
        DataCentreGroup.open(directory, cables, List.of(0, 1), StoreOptions.defaults());
    Desks desks = new Desks(cables, group, trace, perSecond);
    if (trace.isEmpty()) {
      group.store(0).update(Paper.TEXT.insert(0, WELCOME));
    }
    return desks;
  }

  Desk desk(int number) {
    return desks.get(number);
  }

  /** Raised when anything may have changed. */
  Signal signal() {
    return signal;
  }

  /** Opens a window at a desk; the caller closes it. */
  Window openWindow(int desk, String name) {
    String id = desk + "-" + opened.incrementAndGet();
    Window window = new Window(id, name, desks.get(desk), () -> windows.remove(id));
    windows.put(id, window);
    return window;
  }

  /** Finds an open window. */
  Window window(String id) {
    Window window = windows.get(id);
    if (window == null) {
      throw new WebException(404, "window " + id + " is not open: reload the page");
    }
    return window;
  }

  Cable cable() {
    return cables.get(0, 1);
  }

  void setCable(Cable state) {
    cables.set(0, 1, state);
    signal.raise();
  }

  /** The replay of the trace, if there is one. */
  Optional<TraceReplay> replay() {
    return replay;
  }

  @Override
  public void close() {
    replay.ifPresent(TraceReplay::close);
    List.copyOf(windows.values()).forEach(Window::close);
    desks.forEach(Desk::close);
    group.close();
  }
}
