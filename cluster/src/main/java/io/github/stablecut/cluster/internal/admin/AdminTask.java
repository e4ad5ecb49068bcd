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
 * A long task, such as a backup, that an administrator starts at a server and waits for. It runs on
 * a thread of its own and is cancelled when the client disconnects. Thread-safe.
 *
 * <p>Its events report the progress, as {@code stage}, {@code done} and {@code total}, and
 * intermediate findings. The last event has the {@code result}, or the {@code problem}.
 */
final class AdminTask implements HttpEvents {
  private static final Logger LOG = Log.of(AdminTask.class);
  private static final int QUEUE_CAPACITY = 8;
  private static final long PROGRESS_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** The body of a task. */
  @FunctionalInterface
  interface Work {
    ObjectNode run(Listener listener);
  }

  /** Receives the progress of a task and its findings. */
  interface Listener extends ToolProgress {
    /** Sends a finding as an event of its own; waits while the queue is full. */
    void found(ObjectNode event);
  }

  private final class EventListener implements Listener {
    @Override
    public void update(String stage, long done, long total) {
      offerProgress(stage, done, total);
    }

    @Override
    public void found(ObjectNode event) {
      put(event);
    }
  }

  /** Thrown if the client has disconnected. */
  private static final class ClientGoneException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ClientGoneException() {
      super("the client has disconnected");
    }
  }

  private final BlockingQueue<ObjectNode> events = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private volatile boolean isCancelled;
  private boolean isComplete;

  /** The time of the last offered progress event; used by the task's thread only. */
  private long progressAtNanos = System.nanoTime();

  private AdminTask() {}

  /**
   * Starts a task.
   *
   * @param name the name of the thread
   * @param end called when the task ends, whatever the outcome
   */
  static AdminTask start(String name, Work work, Runnable end) {
    AdminTask task = new AdminTask();
    Thread thread = new Thread(() -> task.run(work, end), name);
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  private void run(Work work, Runnable end) {
    ObjectNode last = JsonNodeFactory.instance.objectNode();
    try {
      last.set("result", work.run(new EventListener()));
    } catch (ClientGoneException e) {
      LOG.debug("an admin task was cancelled", e);
    } catch (StablecutException e) {
      last.put("problem", String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) {
      LOG.error("an admin task has failed", e);
      last.put("problem", "the task has failed: see the server's log for the cause");
    } finally {
      end.run();
      try {
        put(last);
      } catch (ClientGoneException e) {
        LOG.debug("an admin task has ended after its client disconnected", e);
      }
    }
  }

  private void put(ObjectNode event) {
    try {
      while (!isCancelled) {
        if (events.offer(event, PROGRESS_INTERVAL_NANOS, TimeUnit.NANOSECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new ClientGoneException();
  }

  private void offerProgress(String stage, long done, long total) {
    if (isCancelled) {
      throw new ClientGoneException();
    }
    long nowNanos = System.nanoTime();
    if (nowNanos - progressAtNanos < PROGRESS_INTERVAL_NANOS) {
      return;
    }
    progressAtNanos = nowNanos;
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    events.offer(event.put("stage", stage).put("done", done).put("total", total));
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
    event.put("problem", "the server has stopped before this was done: try again");
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
    isCancelled = true;
  }
}
