package io.github.stablecut.cluster.internal.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.cluster.internal.network.HttpEvents;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.log.Log;
import io.github.stablecut.tools.ToolProgress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Something long that an operator has the server do, on a thread of its own, and waits for. The
 * events say how far it is, as {@code stage}, {@code done} and {@code total}, and what it finds on
 * the way; the last one is its {@code result}, or the {@code problem}. It is broken off when the
 * operator goes. Thread-safe.
 */
final class AdminTask implements HttpEvents {
  private static final Logger LOG = Log.of(AdminTask.class);
  private static final int WAITING = 8;
  private static final long SAY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** What is done. */
  @FunctionalInterface
  interface Work {
    ObjectNode run(Told told);
  }

  /** Whom it is told how far it is, and what is found on the way. */
  interface Told extends ToolProgress {
    /** An event of its own, which is not lost: waits until there is room for it. */
    void tell(ObjectNode event);
  }

  private final class Events implements Told {
    @Override
    public void update(String stage, long done, long total) {
      say(stage, done, total);
    }

    @Override
    public void tell(ObjectNode event) {
      put(event);
    }
  }

  /** The operator has gone. */
  private static final class GoneException extends RuntimeException {
    private static final long serialVersionUID = 1;

    GoneException() {
      super("nobody waits for it any more");
    }
  }

  private final BlockingQueue<ObjectNode> events = new ArrayBlockingQueue<>(WAITING);
  private volatile boolean isGone;
  private boolean isComplete;
  private long saidNanos = System.nanoTime();

  private AdminTask() {}

  /**
   * Begins.
   *
   * @param name of the thread
   * @param end called once it is over, however it ends
   */
  static AdminTask begin(String name, Work work, Runnable end) {
    AdminTask errand = new AdminTask();
    Thread thread = new Thread(() -> errand.run(work, end), name);
    thread.setDaemon(true);
    thread.start();
    return errand;
  }

  private void run(Work work, Runnable end) {
    ObjectNode last = JsonNodeFactory.instance.objectNode();
    try {
      last.set("result", work.run(new Events()));
    } catch (GoneException e) {
      LOG.debug("it was broken off", e);
    } catch (StablecutException e) {
      last.put("problem", String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      LOG.error("what an operator had this server do has failed", e);
      last.put("problem", "it has failed, and the server's log says why");
    } finally {
      end.run();
      try {
        put(last);
      } catch (GoneException e) {
        LOG.debug("nobody is told of the end", e);
      }
    }
  }

  private void put(ObjectNode event) {
    try {
      while (!isGone) {
        if (events.offer(event, SAY_NANOS, TimeUnit.NANOSECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new GoneException();
  }

  private void say(String stage, long done, long total) {
    if (isGone) {
      throw new GoneException();
    }
    long now = System.nanoTime();
    if (now - saidNanos < SAY_NANOS) {
      return;
    }
    saidNanos = now;
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    boolean unused = events.offer(event.put("stage", stage).put("done", done).put("total", total));
  }

  @Override
  public Map<String, String> headers() {
    return Map.of("Cache-Control", "no-store");
  }

  @Override
  public boolean isComplete() {
    return isComplete;
  }

  @Override
  public Optional<byte[]> farewell() {
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    event.put("problem", "the server has ended before this was done: try again");
    return Optional.of(lines(event));
  }

  @Override
  public Optional<byte[]> next(Duration longest) throws InterruptedException {
    ObjectNode event = events.poll(longest.toNanos(), TimeUnit.NANOSECONDS);
    if (event == null) {
      return Optional.empty();
    }
    isComplete = event.has("result") || event.has("problem") || event.isEmpty();
    return Optional.of(lines(event));
  }

  private static byte[] lines(ObjectNode event) {
    return ("data: " + event + "\n\n").getBytes(UTF_8);
  }

  @Override
  public void close() {
    isGone = true;
  }
}
