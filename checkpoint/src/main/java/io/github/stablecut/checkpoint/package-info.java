/**
 * Checkpoints: immutable files of object versions, each complete at one vector, and the manifest
 * that names the current ones. The package knows ids and the bytes of states, but neither
 * transactions nor data types. Of the journal it knows only two opaque numbers: where to start
 * reading, and the first segment needed. It starts no thread: long operations run on the caller's.
 *
 * <p>A caller writes a run with {@link io.github.stablecut.checkpoint.RunWriter}, adds it with
 * {@link io.github.stablecut.checkpoint.CheckpointStore#commit}, and reads through an immutable
 * {@link io.github.stablecut.checkpoint.CheckpointView}. {@link
 * io.github.stablecut.checkpoint.CheckpointFiles} describes the file names and the switch of
 * manifests, {@link io.github.stablecut.checkpoint.internal.RunFormat} the format of a run, {@link
 * io.github.stablecut.checkpoint.internal.ManifestFormat} that of a manifest.
 *
 * <p>Every file operation goes through a {@link io.github.stablecut.checkpoint.Directory}, so that
 * a test can cut the power after each of them.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.checkpoint;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
