/**
 * Stablecut as a storage of ScalarDB: {@code scalar.db.storage=stablecut}, {@code
 * scalar.db.contact_points} a directory or what {@link io.github.stablecut.map.TableMap#open}
 * opens. So ScalarDB's transactions (Consensus Commit) run on tables of Stablecut. The only user of
 * ScalarDB.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.scalardb;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
