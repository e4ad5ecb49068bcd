/**
 * Backups: a directory with the files of one checkpoint and a list of their hashes, written from a
 * store that goes on ({@link io.github.stablecut.internal.backup.BackupWriter}), and made a store
 * again ({@link io.github.stablecut.internal.backup.BackupReader}). {@link
 * io.github.stablecut.internal.backup.BackupManifest} is the format. Knows neither journal records
 * nor data types.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.backup;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
