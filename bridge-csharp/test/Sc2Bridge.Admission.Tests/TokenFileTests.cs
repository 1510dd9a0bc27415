using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Admission.Tests;

public sealed class TokenFileTests
{
    private const string Token = "0123456789abcdef";
    private static readonly DateTimeOffset _now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    [Fact]
    public void A_line_says_roles_side_priority_and_end()
    {
        var store = Parse(
            $"# mine\nwatch,control {Token}\n\nplay {Token}-2 side=2 priority=5 expires=2030-01-02T03:04:05Z # of two\r\n"
            + $"hold {Token}-3; watch {Token}-4");
        var first = store.Find(Token)!;
        Assert.Equal((Roles.Watch | Roles.Control, null, 0u, null), (first.Roles, first.Side, first.MaxPriority, first.Expires));
        var second = store.Find($"{Token}-2")!;
        Assert.Equal(Roles.Watch | Roles.Hold | Roles.Play, second.Roles);
        Assert.Equal((2u, 5u), (second.Side, second.MaxPriority));
        Assert.Equal(new DateTimeOffset(2030, 1, 2, 3, 4, 5, TimeSpan.Zero), second.Expires);
        Assert.Equal(Roles.Watch | Roles.Hold, store.Find($"{Token}-3")!.Roles);
        Assert.Equal(Roles.Watch, store.Find($"{Token}-4")!.Roles);
    }

    [Fact]
    public void The_tokens_themselves_are_given_on_request()
    {
        List<string> given = [];
        TokenFile.Parse($"watch {Token}\nplay {Token}-2 side=2; hold {Token}-3", "tokens", TokenStore.Empty, _now, given);
        Assert.Equal([Token, $"{Token}-2", $"{Token}-3"], given);
    }

    [Theory]
    [InlineData($"admin {Token}", "not a role")]
    [InlineData($"{Token} watch", "not a role")]
    [InlineData("watch", "missing")]
    [InlineData("watch short", "fewer than 16")]
    [InlineData($"watch {Token}é", "letters")]
    [InlineData($"watch {Token} side=x", "side= takes a number")]
    [InlineData($"watch {Token} priority=-1", "priority= takes a number")]
    [InlineData($"watch {Token} expires=tomorrow", "expires= takes a time")]
    [InlineData($"watch {Token} {Token}", "unknown option after the token")]
    [InlineData($"watch {Token} side=1 side=2", "side= is given twice")]
    [InlineData($"watch {Token} expires=2026-01-01", "has expired")]
    [InlineData($"watch {Token};play {Token}", "given before")]
    public void A_fault_is_one_line_without_the_token(string text, string says)
    {
        var wrong = Assert.Throws<CredentialException>(() => Parse($"\n{text}"));
        Assert.Contains(says, wrong.Message, StringComparison.Ordinal);
        Assert.Contains("tokens, line ", wrong.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Token, wrong.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', wrong.Message);
    }

    [Fact]
    public void A_token_of_two_sources_is_refused()
    {
        var given = Parse($"play {Token}");
        Assert.NotNull(TokenFile.Parse("", "SC2BRIDGE_TOKENS", given, _now).Find(Token));
        var wrong = Assert.Throws<CredentialException>(
            () => TokenFile.Parse($"watch {Token}", "SC2BRIDGE_TOKENS", given, _now));
        Assert.StartsWith("SC2BRIDGE_TOKENS, line 1: this token was given before", wrong.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Any_text_is_read_or_refused_with_one_line()
    {
        var words = Gen.Elements(
            "watch", "hold,play", "control", ",", Token, Token + "x", "side=1", "side=", "priority=4294967296", "=", "#", ";", "\n",
            "expires=2030-01-01", "expires=9999-12-31T23:59:59+14:00", "\0", "é");
        var lines = Gen.ListOf(words).Select(some => string.Join(' ', some));
        Prop.ForAll(Gen.OneOf(lines, ArbMap.Default.GeneratorFor<string>().Select(text => text ?? "")).ToArbitrary(), text =>
        {
            try
            {
                // A usable token needs a role and a minimum length.
                var store = Parse(text);
                return store.IsEmpty || store.Find("") is null;
            }
            catch (CredentialException wrong)
            {
                return !wrong.Message.Contains('\n', StringComparison.Ordinal)
                    && !wrong.Message.Contains(Token, StringComparison.Ordinal);
            }
        }).QuickCheckThrowOnFailure();
    }

    [Fact]
    [System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
    public void A_file_that_others_may_read_is_refused()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs Unix modes");
        var folder = Directory.CreateTempSubdirectory("sc2bridge");
        try
        {
            var path = Path.Combine(folder.FullName, "tokens");
            File.WriteAllText(path, $"watch {Token}\n");
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            Assert.NotNull(TokenFile.Read(path, _now).Find(Token));
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.OtherRead);
            var refused = Assert.Throws<CredentialException>(() => TokenFile.Read(path, _now));
            Assert.Contains("chmod 600", refused.Message, StringComparison.Ordinal);
            Assert.Throws<CredentialException>(() => TokenFile.Read(Path.Combine(folder.FullName, "none"), _now));
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            File.WriteAllBytes(path, [0xff, 0xfe, 0xfd]);
            Assert.Throws<CredentialException>(() => TokenFile.Read(path, _now));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static TokenStore Parse(string text) => TokenFile.Parse(text, "tokens", TokenStore.Empty, _now);
}
