package io.github.stablecut.examples.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.examples.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Kills a JVM under load repeatedly, and checks each time that everything it acknowledged is there.
 * Confined to one thread.
 */
final class KillTrial {
  /** The number of acknowledgements after which all writers are active. */
  private static final int ENOUGH = 20;

  private static final int MAX_MILLIS_AFTER_ENOUGH = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int KILLED = 128 + 9;
  private static final int SHOWN_FAULTS = 10;

  private final Narrator narrator;
  private final Path store;
  private final Path errors;
  private final Random random;
  private final Ledger ledger = new Ledger(Load.WRITERS);

  /**
   * Creates a trial of a new store.
   *
   * @param directory for the store and the child's errors
   * @param random chooses the times of the kills
   */
  KillTrial(Narrator narrator, Path directory, Random random) {
    this.narrator = narrator;
    this.store = directory.resolve("killed");
    this.errors = directory.resolve("errors");
    this.random = random;
  }

  /** Kills several times; returns whether nothing was lost. */
  boolean run(int rounds) throws IOException, InterruptedException {
    narrator.chapter("kill -9: what was acknowledged stays");
    narrator.say(
        """
        A child JVM commits from %d threads. Each transaction adds 1 to two counters
        and its number to a set; once the commit has returned, the child tells this
        process through a pipe. SIGKILL strikes at a random time. Then the store is
        reopened and searched for everything that was acknowledged so far.

        round   killed after   acknowledged   recovered   more, on their way to us"""
            .formatted(Load.WRITERS));
    Optional<Ledger.Findings> findings = Optional.empty();
    for (int round = 1; round <= rounds; round++) {
      findings = round(round);
      if (findings.isEmpty()) {
        return false;
      }
    }
    findings.ifPresent(
        all ->
            narrator.result(
                "acknowledged %,d = recovered %,d: nothing lost, torn or counted twice"
                    .formatted(all.acknowledged(), all.recovered())));
    return true;
  }

  /** Checks the store after another kill; empty, with a message, if anything is wrong. */
  private Optional<Ledger.Findings> round(int round) throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    if (!kill()) {
      return Optional.empty();
    }
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    Ledger.Findings findings;
    try (Store reopened = Stablecut.open(store)) {
      findings = ledger.check(reopened);
    }
    narrator.say(
        "%5d %12.2f s %,14d %,11d %,25d"
            .formatted(
                round, seconds, findings.acknowledged(), findings.recovered(), findings.others()));
    findings.faults().stream().limit(SHOWN_FAULTS).forEach(narrator::fault);
    if (findings.faults().size() > SHOWN_FAULTS) {
      narrator.fault("and %,d more".formatted(findings.faults().size() - SHOWN_FAULTS));
    }
    return findings.faults().isEmpty() ? Optional.of(findings) : Optional.empty();
  }

  /** Starts a child and kills it; returns false, with a message, if the child failed before. */
  private boolean kill() throws IOException, InterruptedException {
    Process child =
        ChildJvm.command(Load.class, store.toString()).redirectError(errors.toFile()).start();
    killAfter(PATIENCE.toMillis(), child);
    int acknowledgedCount = 0;
    try (BufferedReader lines = child.inputReader(US_ASCII)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Acknowledgement.parse(line).ifPresent(ledger::add);
        acknowledgedCount++;
        if (acknowledgedCount == ENOUGH) {
          killAfter(random.nextInt(MAX_MILLIS_AFTER_ENOUGH), child);
        }
      }
    }
    int code = child.waitFor();
    if (code == KILLED && acknowledgedCount >= ENOUGH) {
      return true;
    }
    narrator.fault(
        "the child acknowledged %,d transactions in at most %d s and exited with code %d; its output:"
            .formatted(acknowledgedCount, PATIENCE.toSeconds(), code));
    narrator.say(Files.readString(errors, UTF_8));
    return false;
  }

  /**
   * Kills through the process's handle: {@code Process.destroyForcibly} would also close the pipe,
   * and lose the child's acknowledgements in it.
   */
  private static void killAfter(long millis, Process child) {
    CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
        .execute(() -> child.toHandle().destroyForcibly());
  }
}
