/**
 * Time and causality: {@link io.github.stablecut.causality.Timestamp} (one hybrid-clock value),
 * {@link io.github.stablecut.causality.Dot} (one event), {@link
 * io.github.stablecut.causality.VectorClock} (one timestamp per data centre) and {@link
 * io.github.stablecut.causality.LocalDataCentre} (the entry of this process). Contains values only;
 * it reads no clock.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.causality;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
