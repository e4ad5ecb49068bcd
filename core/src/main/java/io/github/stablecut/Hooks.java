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
 * Code that a store runs before and after commits to some buckets. It is given when the store is
 * opened, so that no update comes before it, and runs in this process only, on threads of its own.
 * Immutable; each method returns changed hooks.
 *
 * @param preCommit the hooks of each bucket, run in this order, each on what the one before left
 * @param postCommit the hooks of each bucket
 * @param timeout the longest time that an update call waits for its pre-commit hooks, and that a
 *     post-commit hook may take, 1 ms to 1 hour; default 1 s
 * @param threads how many run at the same time of each kind, 1 to 1,000; default 4
 * @param queue how many notifications of post-commit hooks may wait, 1 to 1,000,000; default 10,000
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

  /** Checks the ranges, and copies. */
  public Hooks {
    if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          "the timeout of hooks is 1 ms to 1 hour, not " + DurationWords.of(timeout));
    }
    if (threads < 1 || threads > MAX_THREADS || queue < 1 || queue > MAX_QUEUE) {
      throw new IllegalArgumentException(
          "hooks have 1 to 1,000 threads and a queue of 1 to 1,000,000, not %,d and %,d"
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

  /** These hooks and another before commits to a bucket. */
  public Hooks preCommit(String bucket, PreCommitHook hook) {
    return new Hooks(
        with(preCommit, Bytes.utf8(bucket), hook), postCommit, timeout, threads, queue);
  }

  /** These hooks and another after commits to a bucket. */
  public Hooks postCommit(String bucket, PostCommitHook hook) {
    return new Hooks(
        preCommit, with(postCommit, Bytes.utf8(bucket), hook), timeout, threads, queue);
  }

  private static <H> Map<Bytes, List<H>> with(Map<Bytes, List<H>> hooks, Bytes bucket, H hook) {
    Objects.requireNonNull(hook, "hook");
    Map<Bytes, List<H>> more = new HashMap<>(hooks);
    List<H> list = new ArrayList<>(hooks.getOrDefault(bucket, List.of()));
    list.add(hook);
    more.put(bucket, list);
    return more;
  }

  /** These hooks with another timeout. */
  public Hooks withTimeout(Duration longest) {
    return new Hooks(preCommit, postCommit, longest, threads, queue);
  }

  /** These hooks on another number of threads. */
  public Hooks withThreads(int number) {
    return new Hooks(preCommit, postCommit, timeout, number, queue);
  }

  /** These hooks with another queue of notifications. */
  public Hooks withQueue(int notifications) {
    return new Hooks(preCommit, postCommit, timeout, threads, notifications);
  }
}
