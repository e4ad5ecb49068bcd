/** The page of the cities: its requests, and what a browser shows. */
@NullMarked
package io.github.stablecut.examples.cities;

import org.jspecify.annotations.NullMarked;
