package io.github.stablecut.console;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.web.Feed;
import io.github.stablecut.web.WebException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Samples the store once a second while a window is open, for all windows together: a second window
 * costs the store nothing. Retains the last minutes for windows opened later. Thread-safe.
 */
final class Sampler implements AutoCloseable {
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final int KEPT = 120;

  private final ConsoleSource source;
  private final LongSupplier nanoTime;

  @GuardedBy("this")
  private final Deque<Frame> frames = new ArrayDeque<>();

  @GuardedBy("this")
  private Optional<Sample> last = Optional.empty();

  @GuardedBy("this")
  private long number;

  @GuardedBy("this")
  private boolean isClosed;

  /** A sample as an event, and its number. */
  private record Frame(long number, Map<String, Object> content) {}

  Sampler(ConsoleSource source, LongSupplier nanoTime) {
    this.source = source;
    this.nanoTime = nanoTime;
  }

  /** The events of a window, starting with all retained samples. */
  Feed feed() {
    return new LiveFeed();
  }

  /** Takes a sample if the last one is old enough; the first caller does so for all. */
  private synchronized void sample() {
    long nowNanos = nanoTime.getAsLong();
    if (isClosed || (last.isPresent() && nowNanos - last.get().nanos() < PERIOD.toNanos())) {
      return;
    }
    Sample sample = Sample.take(source, nowNanos, last.map(Sample::doubts).orElse(Map.of()));
    number++;
    frames.addLast(new Frame(number, LiveFrame.of(sample, last)));
    last = Optional.of(sample);
    if (frames.size() > KEPT) {
      frames.removeFirst();
    }
  }

  private synchronized List<Frame> after(long lastNumber) {
    return frames.stream().filter(frame -> frame.number > lastNumber).toList();
  }

  private synchronized long nanosLeft() {
    return last.isEmpty() ? 0 : last.get().nanos() + PERIOD.toNanos() - nanoTime.getAsLong();
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    notifyAll();
  }

  private synchronized void pause(long nanos) throws InterruptedException {
    long endNanos = nanoTime.getAsLong() + nanos;
    for (long remainingNanos = nanos;
        remainingNanos > 0 && !isClosed;
        remainingNanos = endNanos - nanoTime.getAsLong()) {
      wait(remainingNanos / 1_000_000 + 1);
    }
    if (isClosed) {
      throw new WebException(503, "the console is closed");
    }
  }

  /** The feed of one window. */
  private final class LiveFeed implements Feed {
    private long lastNumber;

    @Override
    public Optional<Object> next(Duration longest) throws InterruptedException {
      long endNanos = nanoTime.getAsLong() + longest.toNanos();
      while (nanoTime.getAsLong() < endNanos) {
        try {
          sample();
        } catch (StablecutException e) {
          pause(PERIOD.toNanos());
          return Optional.of(
              Map.of("frames", List.of(), "trouble", String.valueOf(e.getMessage())));
        }
        List<Frame> fresh = after(lastNumber);
        if (!fresh.isEmpty()) {
          lastNumber = fresh.get(fresh.size() - 1).number;
          return Optional.of(
              Map.of("frames", fresh.stream().map(Frame::content).toList(), "trouble", ""));
        }
        pause(nanosLeft());
      }
      return Optional.empty();
    }

    @Override
    public void close() {}
  }
}
