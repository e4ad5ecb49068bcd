package io.github.stablecut;

import io.github.stablecut.error.BackupRefusedException;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.NoConnectorException;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.error.UnsupportedFormatException;
import io.github.stablecut.internal.backup.BackupReader;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.internal.transaction.StoreOpening;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.option.StoreOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.ServiceLoader;

/** The entry point: opens stores, and connects to those of servers. */
public final class Stablecut {
  private Stablecut() {}

  /**
   * Opens the store in a directory with the default options; makes one if the directory is empty or
   * not there.
   *
   * @throws io.github.stablecut.journal.MissingJvmFlagsException if the JVM lacks flags; the
   *     message prints them
   * @throws io.github.stablecut.error.MissingLibrariesException if the program has the client of
   *     servers only
   * @throws StoreInUseException if it is open already, here or in another process
   * @throws NotAStoreException if the directory holds something else
   * @throws UnsupportedFormatException if a newer version wrote it
   * @throws io.github.stablecut.error.DamageException if something acknowledged is damaged or
   *     missing; the message names it
   */
  public static Store open(Path directory) {
    return open(directory, StoreOptions.defaults());
  }

  /** As {@link #open(Path)}, with other options. */
  public static Store open(Path directory, StoreOptions options) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(options, "options");
    JvmFlags.check();
    return Threads.callApart("stablecut-opening", () -> StoreOpening.open(directory, options));
  }

  /**
   * As {@link #open(Path)}, but makes no store where there is none.
   *
   * @throws NotAStoreException if there is none; nothing was changed
   */
  public static Store openExisting(Path directory) {
    return openExisting(directory, StoreOptions.defaults());
  }

  /** As {@link #openExisting(Path)}, with other options. */
  public static Store openExisting(Path directory, StoreOptions options) {
    ClosedStore.requireStore(directory);
    return open(directory, options);
  }

  /** As {@link #restore(Path, Path, BackupProgress)}, without saying how far it has come. */
  public static void restore(Path backup, Path directory) {
    restore(backup, directory, BackupProgress.NONE);
  }

  /**
   * Makes a store of a backup ({@link Store#backup(java.nio.file.Path)}). Every file's hash is
   * checked before anything is used; if this throws, no store was made.
   *
   * <p>It is a new store with a name of its own: a token of the store that was backed up is refused
   * by {@link UnknownSnapshotException}, because that store may have gone on after the backup, and
   * nothing in such a token says whether the backup has what it stands for. The clock goes on above
   * all times that are in the backup. History begins with the backup.
   *
   * @param directory empty or not there
   * @throws BackupRefusedException if there is no finished backup, or the directory is something
   *     else; nothing was changed
   * @throws CorruptStoreException if a file of the backup is damaged or missing
   */
  public static void restore(Path backup, Path directory, BackupProgress progress) {
    Objects.requireNonNull(backup, "backup");
    Objects.requireNonNull(directory, "directory");
    JvmFlags.check();
    boolean unused =
        Threads.callApart(
            "stablecut-restoring",
            () -> {
              BackupReader.restore(backup, directory, progress);
              return true;
            });
  }

  /**
   * Makes the store of a new data centre of what another one has written for it ({@link
   * io.github.stablecut.replication.DataCentres#invite}). Opened with {@link
   * io.github.stablecut.replication.Replication}, it goes on from there.
   *
   * @param invitation what was written, used nowhere else
   * @param directory empty or not there
   * @throws BackupRefusedException if there is nothing of the kind; nothing was changed
   * @throws io.github.stablecut.error.ReplicationRefusedException if the directory has a store with
   *     something in it; nothing was changed
   * @throws CorruptStoreException if a file is damaged or missing; no store was made
   */
  public static void join(Path invitation, Path directory) {
    Objects.requireNonNull(invitation, "invitation");
    Objects.requireNonNull(directory, "directory");
    JvmFlags.check();
    boolean unused =
        Threads.callApart(
            "stablecut-joining",
            () -> {
              StoreOpening.join(invitation, directory);
              return true;
            });
  }

  /**
   * Connects to a store that another process serves, such as {@code stablecut://127.0.0.1:8087}.
   * Calls that the connection does not support throw an exception that says so.
   *
   * @throws NoConnectorException if nothing on the class path knows the URI's scheme
   * @throws io.github.stablecut.error.StablecutException if the server doesn't answer
   */
  public static Store connect(String uri) {
    URI parsed;
    try {
      parsed = new URI(uri);
    } catch (URISyntaxException e) {
      throw new NoConnectorException("not a URI: " + uri + ": such as stablecut://127.0.0.1:8087");
    }
    for (StoreConnector connector : ServiceLoader.load(StoreConnector.class)) {
      if (connector.accepts(parsed)) {
        return connector.connect(parsed);
      }
    }
    throw new NoConnectorException(
        "nothing here can connect to "
            + uri
            + ": put stablecut-client on the class path, and use stablecut://HOST:PORT");
  }
}
