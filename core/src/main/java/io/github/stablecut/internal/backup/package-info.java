/**
 * Backups: a directory with the files of one checkpoint and a list of their hashes, written from a
 * running store ({@link io.github.stablecut.internal.backup.BackupWriter}), and restored ({@link
 * io.github.stablecut.internal.backup.BackupReader}). {@link
 * io.github.stablecut.internal.backup.BackupManifest} defines the format. Knows neither journal
 * records nor data types.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.backup;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
