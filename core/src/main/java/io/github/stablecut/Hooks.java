package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DurationWords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Code that a store runs before and after commits to some buckets. Hooks are set when the store is
 * opened, so that they see every update. They run only in this process, on threads of their own.
 * Immutable; each method returns changed hooks.
 *
 * @param preCommit the pre-commit hooks of each bucket, run in this order; each receives the update
 *     that its predecessor returned
 * @param postCommit the post-commit hooks of each bucket
 * @param timeout how long an update call waits for its pre-commit hooks, and how long a post-commit
 *     hook may run; 1 ms to 1 hour, default 1 s
 * @param threads the number of threads for hooks of each kind; 1 to 1,000, default 4
 * @param queue how many notifications of post-commit hooks may wait; 1 to 1,000,000, default 10,000
 */
public record Hooks(
    Map<Bytes, List<PreCommitHook>> preCommit,
    Map<Bytes, List<PostCommitHook>> postCommit,
    Duration timeout,
    int threads,
    int queue) {
  private static final int MAX_THREADS = 1_000;
  private static final int MAX_QUEUE = 1_000_000;
  private static final Hooks NONE = new Hooks(Map.of(), Map.of(), Duration.ofSeconds(1), 4, 10_000);

  /** Checks the ranges, and copies the maps and lists. */
  public Hooks {
    if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "the timeout of hooks must be 1 ms to 1 hour, not " + DurationWords.of(timeout));
    }
    if (threads < 1 || threads > MAX_THREADS || queue < 1 || queue > MAX_QUEUE) {
      throw new IllegalArgumentException(
          "hooks need 1 to 1,000 threads and a queue of 1 to 1,000,000, not %,d and %,d"
              .formatted(threads, queue));
    }
    preCommit = copy(preCommit);
    postCommit = copy(postCommit);
  }

  private static <H> Map<Bytes, List<H>> copy(Map<Bytes, List<H>> hooks) {
    Map<Bytes, List<H>> copy = new HashMap<>();
    hooks.forEach((bucket, list) -> copy.put(bucket, List.copyOf(list)));
    return Map.copyOf(copy);
  }

  /** No hooks. */
  public static Hooks none() {
    return NONE;
  }

  /** Adds a hook that runs before commits to a bucket. */
  public Hooks preCommit(String bucket, PreCommitHook hook) {
    return new Hooks(
        with(preCommit, Bytes.utf8(bucket), hook), postCommit, timeout, threads, queue);
  }

  /** Adds a hook that runs after commits to a bucket. */
  public Hooks postCommit(String bucket, PostCommitHook hook) {
    return new Hooks(
        preCommit, with(postCommit, Bytes.utf8(bucket), hook), timeout, threads, queue);
  }

  private static <H> Map<Bytes, List<H>> with(Map<Bytes, List<H>> hooks, Bytes bucket, H hook) {
    Objects.requireNonNull(hook, "hook");
    Map<Bytes, List<H>> extended = new HashMap<>(hooks);
    List<H> list = new ArrayList<>(hooks.getOrDefault(bucket, List.of()));
    list.add(hook);
    extended.put(bucket, list);
    return extended;
  }

  /** Sets the timeout. */
  public Hooks withTimeout(Duration newTimeout) {
    return new Hooks(preCommit, postCommit, newTimeout, threads, queue);
  }

  /** Sets the number of threads for hooks of each kind. */
  public Hooks withThreads(int number) {
    return new Hooks(preCommit, postCommit, timeout, number, queue);
  }

  /** Sets the capacity of the queue of notifications. */
  public Hooks withQueue(int notifications) {
    return new Hooks(preCommit, postCommit, timeout, threads, notifications);
  }
}
