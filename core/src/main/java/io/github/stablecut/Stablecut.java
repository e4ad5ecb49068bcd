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
import io.github.stablecut.internal.recovery.StoreLibraries;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.internal.transaction.StoreOpening;
import io.github.stablecut.option.ConnectOptions;
import io.github.stablecut.option.StoreOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.ServiceLoader;

/** The entry point: opens stores in this process, and connects to stores on servers. */
public final class Stablecut {
  private Stablecut() {}

  /**
   * Opens the store in a directory with the default options. Creates a store if the directory is
   * empty or does not exist.
   *
   * @throws io.github.stablecut.error.MissingLibrariesException if the class path has only the
   *     client of servers
   * @throws StoreInUseException if the store is already open, in this process or another one
   * @throws NotAStoreException if the directory contains something else
   * @throws UnsupportedFormatException if a newer version wrote the store
   * @throws io.github.stablecut.error.DamageException if acknowledged data is damaged or missing;
   *     the message names the file
   */
  public static Store open(Path directory) {
    return open(directory, StoreOptions.defaults());
  }

  /** Like {@link #open(Path)}, with other options. */
  public static Store open(Path directory, StoreOptions options) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(options, "options");
    StoreLibraries.check();
    return Threads.callApart("stablecut-opening", () -> StoreOpening.open(directory, options));
  }

  /**
   * Like {@link #open(Path)}, but never creates a store.
   *
   * @throws NotAStoreException if the directory contains no store; nothing was changed
   */
  public static Store openExisting(Path directory) {
    return openExisting(directory, StoreOptions.defaults());
  }

  /** Like {@link #openExisting(Path)}, with other options. */
  public static Store openExisting(Path directory, StoreOptions options) {
    ClosedStore.requireStore(directory);
    return open(directory, options);
  }

  /** Like {@link #restore(Path, Path, BackupProgress)}, without progress reports. */
  public static void restore(Path backup, Path directory) {
    restore(backup, directory, BackupProgress.NONE);
  }

  /**
   * Restores a store from a backup ({@link Store#backup(java.nio.file.Path)}). Every file's hash is
   * checked before the file is used; if this throws, no store was created.
   *
   * <p>The restored store is a new one with its own id, whose history begins with the backup. It
   * refuses tokens of the original store with {@link UnknownSnapshotException}: that store may have
   * continued after the backup, and its tokens do not reveal whether the backup contains their
   * points. The clock continues above all times in the backup.
   *
   * @param directory an empty or new directory
   * @throws BackupRefusedException if there is no finished backup, or if the target directory is
   *     not empty; nothing was changed
   * @throws CorruptStoreException if a file of the backup is damaged or missing
   */
  public static void restore(Path backup, Path directory, BackupProgress progress) {
    Objects.requireNonNull(backup, "backup");
    Objects.requireNonNull(directory, "directory");
    StoreLibraries.check();
    Threads.runApart(
        "stablecut-restoring", () -> BackupReader.restore(backup, directory, progress));
  }

  /**
   * Creates the store of a new data centre from an invitation, which another data centre wrote for
   * it ({@link io.github.stablecut.replication.DataCentres#invite}). Open it with {@link
   * io.github.stablecut.replication.Replication} to start replicating.
   *
   * @param invitation the directory of the invitation, used for no other data centre
   * @param directory an empty or new directory
   * @throws BackupRefusedException if there is no invitation; nothing was changed
   * @throws io.github.stablecut.error.ReplicationRefusedException if the directory contains a store
   *     that is not empty; nothing was changed
   * @throws CorruptStoreException if a file is damaged or missing; no store was created
   */
  public static void join(Path invitation, Path directory) {
    Objects.requireNonNull(invitation, "invitation");
    Objects.requireNonNull(directory, "directory");
    StoreLibraries.check();
    Threads.runApart("stablecut-joining", () -> StoreOpening.join(invitation, directory));
  }

  /** Connects with the {@linkplain ConnectOptions#defaults default options}. */
  public static Store connect(String uri) {
    return connect(uri, ConnectOptions.defaults());
  }

  /**
   * Connects to a store that another process serves, such as {@code stablecut://127.0.0.1:8087}.
   * Calls that the connection does not support throw an exception with the reason.
   *
   * @param uri {@code stablecut://HOST:PORT}, or {@code stablecut+tls://HOST:PORT} for TLS; several
   *     nodes of a cluster separated by commas; with parameters such as {@code ?timeout=30} that
   *     replace options
   * @param options the timeout and certificates
   * @throws NoConnectorException if no connector on the class path accepts the URI
   * @throws io.github.stablecut.error.StablecutException if the server does not respond
   */
  public static Store connect(String uri, ConnectOptions options) {
    Objects.requireNonNull(options, "options");
    URI parsed;
    try {
      parsed = new URI(uri);
    } catch (URISyntaxException e) {
      throw new NoConnectorException(
          "not a URI: %s: %s; use a form such as stablecut://127.0.0.1:8087, with special characters percent-encoded"
              .formatted(uri, e.getReason()));
    }
    for (StoreConnector connector : ServiceLoader.load(StoreConnector.class)) {
      if (connector.accepts(parsed)) {
        return connector.connect(parsed, options);
      }
    }
    throw new NoConnectorException(
        "no connector on the class path accepts "
            + uri
            + ": add stablecut-client to the class path, and use stablecut://HOST:PORT");
  }
}
