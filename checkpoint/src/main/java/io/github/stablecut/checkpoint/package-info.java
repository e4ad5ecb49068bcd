/**
 * Checkpoints: immutable files of object versions, each complete at one vector, and the manifest
 * that says which of them count. Knows ids and the bytes of states; knows neither transactions, nor
 * data types, nor the journal beyond two opaque numbers (where to read it from, and from which
 * segment on it is needed). Starts no thread: what takes long runs on the caller's.
 *
 * <p>A caller writes a run with {@link io.github.stablecut.checkpoint.RunWriter}, makes it count
 * with {@link io.github.stablecut.checkpoint.CheckpointStore#commit}, and reads through a {@link
 * io.github.stablecut.checkpoint.View}, which nothing that happens meanwhile can change. The
 * formats are described where they are written: {@link io.github.stablecut.checkpoint.Layout} the
 * names and the switch, {@link io.github.stablecut.checkpoint.internal.RunFormat} a run, {@link
 * io.github.stablecut.checkpoint.internal.ManifestFormat} a manifest.
 *
 * <p>Every file operation goes through a {@link io.github.stablecut.checkpoint.Directory}, so that
 * a test can cut the power after each single one.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.checkpoint;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
