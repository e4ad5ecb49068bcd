/**
 * The suite of tests that judges storages of tables: {@link
 * io.github.stablecut.map.testing.TableMapContract}. For JUnit 5, which users of tables do not get
 * by it: packaged with the classifier {@code testing}.
 */
@NullMarked
package io.github.stablecut.map.testing;

import org.jspecify.annotations.NullMarked;
