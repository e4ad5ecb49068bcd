/**
 * {@code examples/run verification}: workloads whose histories programs from elsewhere judge.
 *
 * <pre>
 *   adya ⇄ TransactionServer → TransactionDriver → TargetStores
 *   Porcupine ← ConditionalHistory ← ConditionalWorkload → TargetStores
 * </pre>
 *
 * <p>{@link io.github.stablecut.examples.verification.TargetStores} are what is judged: an embedded
 * store, servers that are killed or suspended, or data centres whose connections are cut. The
 * script {@code examples/verification/run} installs the judges and runs everything. Called only by
 * the command line.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.verification;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
