package io.github.stablecut.cluster.terminal;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A line that shows the progress of a long task. It is redrawn in place and erased at the end.
 * Confined to one thread.
 *
 * <pre>
 *   importing  [=============               ]  47%    8,406 commits    2,811/s
 * </pre>
 */
public final class ProgressBar implements AutoCloseable {
  private static final int WIDTH = 28;

  /** A shorter bar says nothing. */
  private static final int LEAST_WIDTH = 5;

  private static final long REDRAW_NANOS = Duration.ofMillis(100).toNanos();
  private static final String TO_START_AND_CLEAR = "\r\u001b[K";

  private final PrintStream out;
  private final int columns;
  private final String unit;
  private final LongSupplier nanoTime;

  private String label = "";
  private long startNanos;
  private long doneBefore;
  private long drawnAtNanos;

  /**
   * @param out where to draw
   * @param columns how many characters a line has; 0 to draw nothing
   * @param unit what is counted, in the plural
   * @param nanoTime a clock that runs evenly
   */
  public ProgressBar(PrintStream out, int columns, String unit, LongSupplier nanoTime) {
    this.out = out;
    this.columns = columns;
    this.unit = unit;
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
    this.drawnAtNanos = startNanos - REDRAW_NANOS;
  }

  /** A bar on standard error, if that is a terminal. */
  public static ProgressBar onStandardError(String unit) {
    Terminal terminal = Terminal.ofProcess();
    return new ProgressBar(
        System.err, terminal.progress() ? terminal.columns() : 0, unit, System::nanoTime);
  }

  /**
   * Begins a stage of the work, whose speed counts from here.
   *
   * @param newLabel what is being done
   * @param done what was done before
   */
  public void begin(String newLabel, long done) {
    label = newLabel;
    startNanos = nanoTime.getAsLong();
    doneBefore = done;
  }

  /**
   * Shows the progress of the work.
   *
   * @param done how many units
   * @param fraction the done part of the whole, 0 to 1; below 0 if the whole is not known
   */
  public void update(long done, double fraction) {
    if (columns == 0) {
      return;
    }
    long nowNanos = nanoTime.getAsLong();
    if (nowNanos - drawnAtNanos >= REDRAW_NANOS) {
      drawnAtNanos = nowNanos;
      out.print(TO_START_AND_CLEAR + line(done, fraction, nowNanos - startNanos));
      out.flush();
    }
  }

  private String line(long done, double fraction, long nanos) {
    double perSecond = nanos <= 0 ? 0 : (done - doneBefore) * 1e9 / nanos;
    String part = fraction < 0 ? "" : "%3.0f%% ".formatted(Math.min(1, fraction) * 100);
    String line = "%s  %s %,d %s  %,.0f/s".formatted(label, part, done, unit, perSecond);
    // In the last column some terminals go to the next line.
    int room = columns - 1 - line.length() - "[] ".length();
    if (fraction >= 0 && room >= LEAST_WIDTH) {
      int width = Math.min(WIDTH, room);
      int filled = (int) Math.round(Math.min(1, fraction) * width);
      return "%s  [%s%s] %s %,d %s  %,.0f/s"
          .formatted(
              label, "=".repeat(filled), " ".repeat(width - filled), part, done, unit, perSecond);
    }
    return line.substring(0, Math.min(line.length(), columns - 1));
  }

  /** Takes the line away. */
  @Override
  public void close() {
    if (columns > 0) {
      out.print(TO_START_AND_CLEAR);
      out.flush();
    }
  }
}
