/**
 * {@code examples/run cities}: three data centres in one process, and a page that shows them side
 * by side. {@link io.github.stablecut.examples.cities.Wall} has the keys of the stored objects,
 * {@code City} the operations, {@code CityReader} reads the content, and {@code CitiesPage} serves
 * it.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.cities;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
