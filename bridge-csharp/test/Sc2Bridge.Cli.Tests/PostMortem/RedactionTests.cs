using Sc2Bridge.Testing;

namespace Sc2Bridge.Cli.Tests;

/// <summary>Secrets in texts that other people will read.</summary>
public sealed class RedactionTests
{
    private const string Secret = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

    private static readonly AnonymousText Redaction = new("/home/ann", "ann", isWindows: false, [Secret, "short"]);

    [Theory]
    [InlineData("ws://a/v1?token=abc&x=1", "ws://a/v1?token=[removed]&x=1")]
    [InlineData("http://a/#token=abc", "http://a/#token=[removed]")]
    [InlineData("Authorization: Bearer abc.def", "Authorization: Bearer [removed]")]
    [InlineData("SC2BRIDGE_TOKEN=abc python", "SC2BRIDGE_TOKEN=[removed] python")]
    [InlineData("{\"password\": \"x y\"}", "{\"password\": \"[removed] y\"}")]
    [InlineData("amqp://me:pw@host/vh", "amqp://[removed]@host/vh")]
    [InlineData("/home/ann/x by ann, /media/ann", "~/x by user, /media/user")]
    [InlineData("python bot.py --token abc --x", "python bot.py --token [removed] --x")]
    [InlineData("[\"--api-password\", \"abc\"]", "[\"--api-password\", \"[removed]\"]")]
    [InlineData("give --token or --tokens FILE", "give --token [removed] --tokens FILE")]
    [InlineData("Z:\\home\\ann\\x, C:\\users\\ann\\y", "Z:~\\x, C:\\users\\user\\y")]
    [InlineData("id ffffffffffffffffffffffffffffffff", "id [removed]")]
    [InlineData("ws://host:8080", "ws://host:8080")]
    [InlineData("cut at amqp://me:p4ssw", "cut at amqp://[removed]")]
    [InlineData("not cut: 0f1e2d3c4b", "not cut: 0f1e2d3c4b")]
    [InlineData("not a secret 0f1e2", "not a secret 0f1e2")]
    [InlineData("/home/annabel planned it", "/home/annabel planned it")]
    public void Secrets_and_names_are_replaced(string text, string redacted) => Assert.Equal(redacted, Redaction.Redact(text));

    [Fact]
    public void The_beginning_of_a_secret_is_removed_where_a_long_line_was_cut()
    {
        var begin = new string('x', 990);
        Assert.Equal($"{begin}[removed]", Redaction.Redact($"{begin}0f1e2d3c4b"));
    }

    [Fact]
    public void Secrets_of_several_lines_and_escaped_secrets_are_removed()
    {
        var redaction = new AnonymousText("/home/ann", "ann", isWindows: false, ["first+line\nsecond line", "play 0123456789abcdef; watch fedcba9876543210"]);
        Assert.Equal("[removed], [removed]", redaction.Redact("first+line, second line"));
        Assert.Equal("""{"x":"[removed]"}""", redaction.Redact("""{"x":"first\u002Bline\nsecond line"}"""));
        Assert.Equal("x=[removed]", redaction.Redact("x=first%2Bline%0Asecond%20line"));
        Assert.Equal("x=[removed]&y", redaction.Redact("x=second+line&y"));
        Assert.Equal("one [removed], two [removed]", redaction.Redact("one 0123456789abcdef, two fedcba9876543210"));
        Assert.True(redaction.HasSecret("x second line x"u8));
    }

    [Theory]
    [InlineData("root", "/root", "the root of it, /root/y", "the root of it, ~/y")]
    [InlineData("ann", "/data/ann", @"ann, C:\users\ann\x", @"ann, C:\users\user\x")]
    [InlineData("alice", "/home/alice", "alice at /home/alice", "user at ~")]
    public void A_short_name_stays_in_the_words_of_a_recording(string user, string home, string text, string redacted) =>
        Assert.Equal(redacted, new AnonymousText(home, user, isWindows: false).RedactRecorded(text));

    [Fact]
    public void A_note_in_the_lock_file_gives_the_variables_and_the_tokens_after_a_crash()
    {
        var file = Path.GetTempFileName();
        try
        {
            File.WriteAllText(file, "play 0123456789abcdef side=1\nwatch fedcba9876543210\n");
            var note = PostMortemNote.Parse($"{new PostMortemNote(PostMortemMode.Failed, ["A", "B"], file)}");
            Assert.Equal((PostMortemMode.Failed, file), (note.Mode, note.TokenFile));
            Assert.Equal(["A", "B"], note.Variables);
            Assert.Equal(["0123456789abcdef", "fedcba9876543210"], note.ReadTokens());
        }
        finally
        {
            File.Delete(file);
        }

        var none = PostMortemNote.Parse($"{new PostMortemNote(PostMortemMode.Always, [], null)}");
        Assert.Equal((PostMortemMode.Always, 0, null), (none.Mode, none.Variables.Count, none.TokenFile));
        Assert.Equal(PostMortemMode.Never, PostMortemNote.Parse("other").Mode);
        Assert.Equal(PostMortemMode.Never, PostMortemNote.Parse(null).Mode);
    }

    [Fact]
    public void No_text_keeps_a_secret()
    {
        const string letters = "ab:/=&?#\"'@[]{}\n\\é_";
        var random = new Random(5);
        string[] secrets = [Secret, "token=s3cretvalue", "://user:s3cretvalue@", "Bearer s3cretvalue", $"{Secret}{Secret}"];
        for (var turn = 0; turn < Cases.Of(20_000); turn++)
        {
            var (before, after) = (Around(), Around());
            var secret = secrets[random.Next(secrets.Length)];
            var redacted = Redaction.Redact($"{before}{secret}{(secret[^1] == '@' ? "" : " ")}{after}");
            Assert.False(redacted.Contains(Secret, StringComparison.Ordinal) || redacted.Contains("s3cretvalue", StringComparison.Ordinal), $"{before}{secret}{after}: {redacted}");
            Assert.DoesNotContain("/home/ann ", Redaction.Redact($"{before} /home/ann {after}"), StringComparison.Ordinal);
        }

        string Around() => new([.. Enumerable.Range(0, random.Next(12)).Select(_ => letters[random.Next(letters.Length)])]);
    }
}
