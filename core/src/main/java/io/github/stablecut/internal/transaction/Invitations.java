package io.github.stablecut.internal.transaction;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.internal.link.JoinSender;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.replication.Group;
import io.github.stablecut.internal.thread.Threads;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Admits new data centres to the group, and gives them what they begin with. Thread-safe. */
final class Invitations {
  private static final Logger LOG = LoggerFactory.getLogger(Invitations.class);

  private final EmbeddedReplication.Setup setup;
  private final Partitions partitions;
  private final Group group;
  private final Runnable allowed;

  /**
   * What a new data centre begins with.
   *
   * @param directory of its own, for a while
   */
  private record Invitation(int number, Path directory, Path files) {}

  /**
   * @param allowed throws if this data centre may admit nobody
   */
  Invitations(
      EmbeddedReplication.Setup setup, Partitions partitions, Group group, Runnable allowed) {
    this.setup = setup;
    this.partitions = partitions;
    this.group = group;
    this.allowed = allowed;
  }

  /** Sends a new data centre what it begins with, or tells why not. */
  void join(JoinSender sender) throws IOException {
    Invitation made;
    try {
      made = invitation(Optional.empty());
    } catch (ReplicationRefusedException e) {
      sender.refuse(Objects.requireNonNullElse(e.getMessage(), "nobody can join"));
      return;
    }
    try {
      sender.send(made.files());
    } catch (IOException | RuntimeException | Error e) {
      group.detach(made.number());
      throw e;
    } finally {
      setup.directory().deleteTemporary(made.directory());
    }
  }

  /**
   * Writes what a new data centre begins with.
   *
   * @return its number
   */
  int invite(Path target) {
    return Threads.callApart(
        "stablecut-invitation",
        () -> {
          Invitation made = invitation(Optional.of(target));
          setup.directory().deleteTemporary(made.directory());
          return made.number();
        });
  }

  /**
   * Admits a new data centre, and writes what it begins with. One after the other, as checkpoints
   * pause meanwhile.
   *
   * @param target where to; empty for somewhere in the directory of its own
   */
  private synchronized Invitation invitation(Optional<Path> target) {
    allowed.run();
    int allocator = group.known().allocator();
    if (allocator != group.own()) {
      throw new ReplicationRefusedException(
          "data centre %d gives the numbers to new ones, and this is %d: ask that"
              .formatted(allocator, group.own()));
    }
    // First everything is kept for it, then it gets what there is.
    int number = group.admit(new SecureRandom().nextLong());
    try {
      Path directory = setup.directory().temporary("joining-" + number);
      try {
        Path files = target.orElse(directory.resolve("files"));
        write(number, files, directory);
        return new Invitation(number, directory, files);
      } catch (RuntimeException | Error e) {
        setup.directory().deleteTemporary(directory);
        throw e;
      }
    } catch (RuntimeException | Error e) {
      group.detach(number);
      throw e;
    }
  }

  private void write(int number, Path target, Path journals) {
    try (StoreBackup cut =
        StoreBackup.cut(partitions, setup.checkpoints(), Optional.of(journals))) {
      StoreIdentity identity = setup.identity();
      cut.write(
          new StoreIdentity(
              identity.id(),
              identity.partitions(),
              new LocalDataCentre(number),
              OptionalLong.empty(),
              identity.routing()),
          Optional.of(group.known()),
          target,
          BackupProgress.NONE,
          Instant.now());
      LOG.info("data centre {} is given what it begins with", number);
    }
  }
}
