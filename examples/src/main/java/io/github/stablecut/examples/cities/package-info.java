/**
 * {@code examples/run cities}: three data centres in one process, and a page that shows them side
 * by side. {@link io.github.stablecut.examples.cities.Wall} names what is stored, {@code City} does
 * what is clicked, {@code CityReader} reads what is shown, and {@code CitiesPage} serves it.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.cities;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
