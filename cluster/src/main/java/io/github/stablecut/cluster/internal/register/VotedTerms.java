package io.github.stablecut.cluster.internal.register;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * A bound of the terms in which this node's part of the register may have voted, in the file {@code
 * TERMS}: no vote in a term above it was ever told. It is raised ahead, so it is seldom written,
 * and a full disk leaves the earlier one. Thread-safe.
 *
 * <p>With it a vote that was lost on a full disk can be written anew ({@link EmptiedVote}): the
 * part begins the term behind the bound. Its votes and entries of all earlier terms stay what they
 * were, as it takes part in no such term again, and clocks don't matter.
 *
 * <p>Invariants: no message leaves this part, and none reaches it, while its term is above the
 * bound. Who has no peers tells nobody of its votes; the terms in which it led with any effect are
 * those of its log.
 */
final class VotedTerms {
  static final String FILE = "TERMS";

  /** So far above a term the bound is raised: there are few elections. */
  private static final long AHEAD = 1_000;

  private final Path directory;
  private final Path group;

  /** No term at all, until it is read. */
  private volatile long bound = -1;

  /**
   * @param directory this node's part of the register
   * @param group what Ratis keeps in it
   */
  VotedTerms(Path directory, Path group) {
    this.directory = directory;
    this.group = group;
  }

  /**
   * To be called before Ratis opens what it keeps: reads the bound, and writes a lost vote anew.
   *
   * @throws IOException also if nothing says in which terms this node has voted
   */
  synchronized void open() throws IOException {
    OptionalLong written = read();
    OptionalLong term = EmptiedVote.term(group);
    if (written.isEmpty() && term.isEmpty()) {
      throw new IOException(
          "the vote in %s was lost when the disk was full, and %s is missing, which says in which terms the node may have voted: start the node with an empty directory"
              .formatted(group, directory.resolve(FILE)));
    }
    if (written.isPresent()) {
      bound = written.getAsLong();
    } else {
      write(term.getAsLong() + AHEAD);
    }
    if (term.isEmpty()) {
      EmptiedVote.repair(group, Math.max(bound, EmptiedVote.lastTermOfLog(group)) + 1);
    }
  }

  /**
   * A message of a term is about to be sent, or handled.
   *
   * @throws IOException if the bound is below it, and can't be raised
   */
  void reach(long term) throws IOException {
    if (term > bound) {
      raise(term);
    }
  }

  private synchronized void raise(long term) throws IOException {
    if (term > bound) {
      write(term + AHEAD);
    }
  }

  private OptionalLong read() throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      return OptionalLong.empty();
    }
    String text = Files.readString(file).strip();
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      throw new IOException("%s is damaged: %s".formatted(file, text), e);
    }
  }

  @GuardedBy("this")
  private void write(long next) throws IOException {
    PrivateFiles.replace(directory, FILE, next + "\n");
    bound = next;
  }
}
