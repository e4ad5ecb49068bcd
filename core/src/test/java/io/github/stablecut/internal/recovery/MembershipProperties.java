package io.github.stablecut.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.CorruptStoreException;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Members' views of their group merge in any order and round-trip as text. */
final class MembershipProperties {
  private static final long GROUP = 7;

  /** Each number has one store, and each version of an address one text, as in a real group. */
  @Provide
  Arbitrary<Membership> memberships() {
    Arbitrary<Member.State> states = Arbitraries.of(Member.State.values());
    return Arbitraries.maps(
            Arbitraries.integers().between(0, 4),
            states.flatMap(
                state ->
                    Arbitraries.integers()
                        .between(0, 3)
                        .map(version -> new Member(1, state, version, address(version)))))
        .ofMinSize(1)
        .ofMaxSize(5)
        .map(members -> new Membership(GROUP, new TreeMap<>(members)));
  }

  private static String address(int version) {
    return version == 0 ? "" : "host" + version + ":7600";
  }

  @Property
  void mergingIsCommutativeAssociativeAndIdempotent(
      @ForAll("memberships") Membership a,
      @ForAll("memberships") Membership b,
      @ForAll("memberships") Membership c) {
    assertThat(a.with(b)).isEqualTo(b.with(a));
    assertThat(a.with(b).with(c)).isEqualTo(a.with(b.with(c)));
    assertThat(a.with(a)).isEqualTo(a);
    assertThat(a.with(b).with(b)).isEqualTo(a.with(b));
  }

  @Property
  void theTextRoundTrips(@ForAll("memberships") Membership membership) {
    Membership read = Membership.parse(membership.toText(), "file");
    assertThat(read).isEqualTo(membership);
    assertThat(read.sum()).isEqualTo(membership.sum());
  }

  @Property
  void refusesAChangedText(
      @ForAll("memberships") Membership membership, @ForAll int at, @ForAll char to) {
    StringBuilder text = new StringBuilder(membership.toText());
    int place = Math.floorMod(at, text.length() - 1);
    if (text.charAt(place) != to && !Character.isSurrogate(to)) {
      text.setCharAt(place, to);
      assertThatThrownBy(() -> Membership.parse(text.toString(), "file"))
          .isInstanceOf(io.github.stablecut.error.StablecutException.class);
    }
  }

  @Example
  void refusesInconsistentGroups() {
    Membership one = Membership.founding(new StoreIdentity(5, 1));
    assertThatThrownBy(() -> one.with(Membership.founding(new StoreIdentity(6, 1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("of another group");
    Membership other = one.with(1, new Member(1, Member.State.MEMBER, 0, ""));
    assertThatThrownBy(() -> other.with(one.with(1, new Member(2, Member.State.JOINING, 0, ""))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two stores have one number");
    assertThatThrownBy(() -> Membership.parse("something else", "file"))
        .isInstanceOf(CorruptStoreException.class);
  }

  @Example
  void neverReusesNumbers() {
    Membership one =
        Membership.founding(new StoreIdentity(5, 1))
            .with(1, new Member(1, Member.State.DETACHED, 0, ""));
    assertThat(one.next()).isEqualTo(2);
    assertThat(one.allocator()).isZero();
    assertThat(one.others(0)).isEmpty();
  }
}
