package io.github.stablecut.cluster.internal.register;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * An upper bound of the terms in which this node's part of the register may have voted, in the file
 * {@code TERMS}: no vote in a term above it ever left the node. It is raised in large steps, so it
 * is rarely written, and a full disk leaves the previous one. Thread-safe.
 *
 * <p>The bound allows a vote that was lost on a full disk to be rewritten ({@link VoteFileRepair}):
 * the part starts a term above the bound. It never participates in an earlier term again, so its
 * votes and entries of those stay valid, independent of clocks.
 *
 * <p>Invariants: no message leaves or reaches this part while the message's term is above the
 * bound. A part without peers sends no votes; the terms in which it led with any effect are in its
 * log.
 */
final class VotedTerms {
  static final String FILE = "TERMS";

  /** The distance from a term to a raised bound; elections are rare. */
  private static final long STEP = 1_000;

  private final Path directory;
  private final Path group;

  /** The bound; -1, below all terms, until it is read. */
  private volatile long bound = -1;

  /**
   * @param directory the directory of this node's part of the register
   * @param group the directory of the Raft group within it
   */
  VotedTerms(Path directory, Path group) {
    this.directory = directory;
    this.group = group;
  }

  /**
   * Reads the bound, and rewrites a lost vote. Called before Ratis opens its files.
   *
   * @throws IOException if a file can't be read or written, or if both the bound and the vote are
   *     lost
   */
  synchronized void open() throws IOException {
    OptionalLong written = read();
    OptionalLong term = VoteFileRepair.term(group);
    if (written.isEmpty() && term.isEmpty()) {
      throw new IOException(
          "the vote in %s was lost when the disk was full, and %s, which bounds the terms of the node's votes, is missing: start the node with an empty directory"
              .formatted(group, directory.resolve(FILE)));
    }
    if (written.isPresent()) {
      bound = written.getAsLong();
    } else {
      write(term.getAsLong() + STEP);
    }
    if (term.isEmpty()) {
      VoteFileRepair.repair(group, Math.max(bound, VoteFileRepair.lastLogTerm(group)) + 1);
    }
  }

  /**
   * Raises the bound, if necessary, before a message of a term is sent or handled.
   *
   * @throws IOException if the bound is below the term and can't be raised
   */
  void raiseTo(long term) throws IOException {
    if (term > bound) {
      raise(term);
    }
  }

  private synchronized void raise(long term) throws IOException {
    if (term > bound) {
      write(term + STEP);
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
