/**
 * The test suite for storages of tables: {@link io.github.stablecut.map.testing.TableMapContract}.
 * It needs JUnit 5, and is packaged separately, with the classifier {@code testing}, so that users
 * of tables don't depend on JUnit.
 */
@NullMarked
package io.github.stablecut.map.testing;

import org.jspecify.annotations.NullMarked;
