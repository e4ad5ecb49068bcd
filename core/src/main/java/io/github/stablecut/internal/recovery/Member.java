package io.github.stablecut.internal.recovery;

import java.util.List;

/**
 * A data centre of a group, as its members know it. Immutable.
 *
 * @param storeId the store that has the number
 * @param state whether it takes part
 * @param addressVersion how often its address has changed; the greatest one counts
 * @param address where others reach it, such as {@code dublin.example:7600}, several of a cluster
 *     with commas between them; empty if they do not
 */
public record Member(long storeId, State state, int addressVersion, String address) {
  /** The longest addresses. */
  public static final int MAX_ADDRESS_LENGTH = 4_000;

  /** Whether a data centre takes part. A later state never becomes an earlier one again. */
  public enum State {
    /** It was given a number, and what it begins with; it was not heard yet. */
    JOINING("joining"),
    /** It takes part. */
    MEMBER("member"),
    /** It takes part no more: nothing that it commits is taken, and nobody waits for it. */
    DETACHED("detached");

    private final String word;

    State(String word) {
      this.word = word;
    }

    /** The word for people and files. */
    public String word() {
      return word;
    }

    static State of(String word) {
      for (State state : values()) {
        if (state.word.equals(word)) {
          return state;
        }
      }
      throw new IllegalArgumentException("a data centre is not " + word);
    }
  }

  /** Checks the address. */
  public Member {
    if (addressVersion < 0 || !address.matches("\\S{0," + MAX_ADDRESS_LENGTH + "}")) {
      throw new IllegalArgumentException("not an address of a data centre: " + address);
    }
  }

  /** Whether others wait for what it has. */
  public boolean takesPart() {
    return state != State.DETACHED;
  }

  /** What two members know of it together. */
  Member with(Member other) {
    if (storeId != other.storeId) {
      throw new IllegalArgumentException(
          "two stores have one number, %016x and %016x".formatted(storeId, other.storeId));
    }
    // Only the member itself changes its address. Two nodes of a cluster may do that at once.
    Member newer =
        addressVersion > other.addressVersion
                || (addressVersion == other.addressVersion && address.compareTo(other.address) >= 0)
            ? this
            : other;
    State later = state.compareTo(other.state) >= 0 ? state : other.state;
    return new Member(storeId, later, newer.addressVersion, newer.address);
  }

  /** The addresses, one for each node that tells one. */
  public List<String> addresses() {
    return address.isEmpty() ? List.of() : List.of(address.split(",", -1));
  }

  /** As it is, in another state. */
  public Member in(State newState) {
    return new Member(storeId, newState, addressVersion, address);
  }

  /** As it is, at another address. */
  public Member at(String newAddress) {
    return address.equals(newAddress)
        ? this
        : new Member(storeId, state, addressVersion + 1, newAddress);
  }
}
