package io.github.stablecut.examples.write;

import io.github.stablecut.examples.datacentre.Cable;
import io.github.stablecut.examples.trace.Trace.Patch;
import io.github.stablecut.web.Arguments;
import io.github.stablecut.web.Feed;
import io.github.stablecut.web.LatestFeed;
import io.github.stablecut.web.WebApp;
import io.github.stablecut.web.WebException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The page for writing, and its requests. Thread-safe. */
final class WritePage {
  private static final int LONGEST_INSERTION = 60_000;
  private static final int LONGEST_NAME = 20;

  private final Desks desks;

  /** Confirms a request. */
  private record Done(boolean done) {}

  /**
   * An event for a window.
   *
   * @param moments the number of past versions at the desk
   * @param replay its progress; empty without a trace
   */
  private record Event(
      Window.View text, Cable cable, int moments, List<TraceReplay.Progress> replay) {}

  private WritePage(Desks desks) {
    this.desks = desks;
  }

  /** Creates the page and its requests. */
  static WebApp of(Desks desks) {
    WritePage page = new WritePage(desks);
    return new WebApp()
        .files(WritePage.class, "index.html", "write.css", "write.js", "editor.js", "patch.js")
        .events("/api/events", page::follow, "desk", "name")
        .get("/api/past", page::past, "desk", "moment")
        .post("/api/edits", page::edit)
        .post("/api/carets", page::move)
        .post("/api/cable", page::setCable)
        .post("/api/replay", page::replay);
  }

  /** Opens a window, which stays open while its events are subscribed to. */
  private Feed follow(Arguments arguments) {
    Desk desk = desk(arguments);
    Window window = desks.openWindow(desk.number(), arguments.line("name", LONGEST_NAME));
    LatestFeed events = new LatestFeed(desks.signal(), () -> event(desk, window));
    return new Feed() {
      @Override
      public Optional<Object> next(Duration longest) throws InterruptedException {
        return events.next(longest);
      }

      @Override
      public void close() {
        window.close();
      }
    };
  }

  private Event event(Desk desk, Window window) {
    return new Event(
        window.view(),
        desks.cable(),
        desk.moments(),
        desks.replay().stream().map(TraceReplay::progress).toList());
  }

  private Object past(Arguments arguments) {
    return desk(arguments).past(arguments.number("moment", 0, Integer.MAX_VALUE));
  }

  private Object edit(Arguments arguments) {
    Patch patch =
        new Patch(
            position(arguments, "position"),
            position(arguments, "deleted"),
            arguments.text("inserted", LONGEST_INSERTION));
    window(arguments)
        .edit(
            arguments.number("version", 1, Integer.MAX_VALUE), patch, position(arguments, "caret"));
    return new Done(true);
  }

  private Object move(Arguments arguments) {
    window(arguments).move(position(arguments, "caret"));
    return new Done(true);
  }

  private Object setCable(Arguments arguments) {
    desks.setCable(arguments.constant("state", Cable.class));
    return new Done(true);
  }

  private Object replay(Arguments arguments) {
    TraceReplay replay =
        desks
            .replay()
            .orElseThrow(
                () ->
                    WebException.badRequest(
                        "no trace to replay: start with examples/run write --trace FILE"));
    replay.setRunning(arguments.number("runs", 0, 1) == 1);
    return new Done(true);
  }

  private Desk desk(Arguments arguments) {
    return desks.desk(arguments.number("desk", 0, Desks.NAMES.size() - 1));
  }

  private Window window(Arguments arguments) {
    return desks.window(arguments.line("window", LONGEST_NAME));
  }

  private static int position(Arguments arguments, String name) {
    return arguments.number(name, 0, Window.LONGEST);
  }
}
