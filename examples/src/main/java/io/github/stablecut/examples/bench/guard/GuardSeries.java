package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.bench.commit.CommitRound;
import io.github.stablecut.examples.bench.commit.CommitRunner;
import io.github.stablecut.examples.bench.commit.PeerProcess;
import io.github.stablecut.examples.bench.guard.Figures.Load;
import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs series of rounds of a bench, with a new process for each subject. The order of the subjects
 * is reversed from series to series, so that a machine that gets slower favours none.
 *
 * @param millis the duration of a round
 * @param parent of the processes' directories
 */
public record GuardSeries(
    String bench, List<Integer> threads, int millis, Path parent, Figures figures) {
  private static final int NO_BODY = 0;
  private static final int WARM_UP_THREADS = 32;

  /** The operations after which most code is compiled, and counts no longer change. */
  private static final long WARM_UP = 200_000;

  /** Enough for a cluster, which is slower. */
  private static final long WARM_UP_OF_CLUSTER = 100_000;

  /** Compiled code makes the same system calls. */
  private static final long WARM_UP_OF_TRACE = 10_000;

  private static final int MOST_WARM_UPS = 20;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** The subjects in the order of a series. */
  public static List<Subject> inOrder(List<Subject> subjects, int series) {
    List<Subject> order = new ArrayList<>(subjects);
    if (series % 2 == 1) {
      Collections.reverse(order);
    }
    return order;
  }

  /** Adds the figures of a new process of a subject. */
  public void run(Subject subject) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(parent, subject.name());
    try {
      List<CommitRound> rounds = rounds(subject, directory);
      for (int i = 0; i < threads.size(); i++) {
        figures.add(load(i), subject.name(), Figures.of(rounds.get(i)));
      }
    } finally {
      FileTrees.delete(directory);
    }
  }

  /** Adds the system calls of a new process of a subject, which strace slows down. */
  public void trace(Subject subject) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(parent, subject.name());
    try {
      Path log = directory.resolve("strace");
      List<String> command = new ArrayList<>(TracedCalls.prefix(log));
      command.addAll(command(subject, directory));
      List<CommitRound> rounds = rounds(subject, command, WARM_UP_OF_TRACE);
      List<TracedCalls> calls = TracedCalls.ofRounds(log);
      int warmUps = calls.size() - rounds.size();
      for (int i = 0; i < threads.size(); i++) {
        TracedCalls ofRound = calls.get(warmUps + i);
        figures.add(load(i), subject.name(), Figures.of(ofRound, rounds.get(i).commits()));
      }
    } finally {
      FileTrees.delete(directory);
    }
  }

  private Load load(int index) {
    return new Load(bench, threads.get(index));
  }

  private List<String> command(Subject subject, Path directory) {
    return GuardPeer.command(subject, bench, directory.resolve("data"));
  }

  private List<CommitRound> rounds(Subject subject, Path directory)
      throws IOException, InterruptedException {
    if (GuardPeer.isCluster(bench)) {
      try (ClusterProcesses nodes = ClusterProcesses.start(subject, bench, directory)) {
        return rounds(nodes, WARM_UP_OF_CLUSTER);
      }
    }
    return rounds(subject, command(subject, directory), WARM_UP);
  }

  private List<CommitRound> rounds(Subject subject, List<String> command, long warmUp)
      throws IOException, InterruptedException {
    if (GuardPeer.isWire(bench)) {
      try (ServerProcess server =
          ServerProcess.start(subject.name(), command, GuardPeer.reads(bench))) {
        server.await();
        return rounds(server, warmUp);
      }
    }
    try (PeerProcess peer = PeerProcess.start(subject.name(), command)) {
      peer.await();
      return rounds(peer.target(subject.target()), warmUp);
    }
  }

  /** A round with each number of threads, after others that warm up. */
  private List<CommitRound> rounds(CommitRunner runner, long warmUp)
      throws IOException, InterruptedException {
    long operations = 0;
    for (int i = 0; i < MOST_WARM_UPS && operations < warmUp; i++) {
      operations += runner.run(WARM_UP_THREADS, NO_BODY, millis * NANOS_PER_MILLI).commits();
    }
    List<CommitRound> rounds = new ArrayList<>();
    for (int count : threads) {
      rounds.add(runner.run(count, NO_BODY, millis * NANOS_PER_MILLI));
    }
    return rounds;
  }
}
