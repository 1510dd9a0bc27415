namespace Sc2Bridge.Admission.Tests;

public sealed class TokenStoreTests
{
    private static readonly Identity _one = new("one", Roles.Watch);

    [Fact]
    public void Every_token_made_is_another()
    {
        var tokens = Enumerable.Range(0, 200).Select(_ => TokenStore.NewToken()).ToList();
        Assert.Equal(200, tokens.Distinct().Count());
        Assert.All(tokens, token => Assert.Matches("^[0-9a-f]{32}$", token));
    }

    [Fact]
    public void A_token_is_found_whole_and_by_nothing_near_it()
    {
        var token = TokenStore.NewToken();
        var two = _one with { Name = "two" };
        var store = TokenStore.Empty.With(token, _one).With("another-token-of-2", two);
        Assert.Same(_one, store.Find(token));
        Assert.Same(two, store.Find("another-token-of-2"));
        foreach (var near in (string[])["", token[1..], token[..^1], token + "0", token.ToUpperInvariant() + " ", token + "\0", "\uD800"])
        {
            Assert.Null(store.Find(near));
        }

        Assert.True(TokenStore.Empty.IsEmpty);
        Assert.Null(TokenStore.Empty.Find(token));
    }
}
