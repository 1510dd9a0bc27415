using Sc2Bridge.Streaming;
using Sc2Bridge.Terminal;
using Spectre.Console;

namespace Sc2Bridge.Cli.Tests;

/// <summary>Rows that say how far something is: on terminals of several widths, and without a terminal.</summary>
public sealed class ProgressTests
{
    private static readonly SubscriberState _behind = new(
        "an-agent-with-a-very-long-name-1", "ws.json", V1.Policy.Lockstep, "match", 0, 16_860, 2L << 30, 10_000_000, 10_000_000, 1,
        Internal: false, HasEnded: false, Held: TimeSpan.Zero);

    [Theory]
    [InlineData(40, "━━━━────── 42 % 1:05 left")]
    [InlineData(60, "━━━━━━───────── 42 % 1:05 left 123.4 steps/s")]
    [InlineData(80, "━━━━━━━━──────────── 42 % 1:05 left 123.4 steps/s step 7081 of 16860")]
    [InlineData(200, "━━━━━━━━━━━━────────────────── 42 % 1:05 left 123.4 steps/s step 7081 of 16860")]
    public void A_row_is_as_long_as_the_terminal_at_most(int width, string shown)
    {
        var row = new ProgressRow("1:05 left", "", "123.4 steps/s", "step 7081 of 16860") { Done = 0.42 };
        var text = row.Text(width);
        Assert.Equal(shown, string.Join(' ', text.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
        Assert.InRange(text.Length, 1, width);
    }

    [Theory]
    [InlineData(20)]
    [InlineData(40)]
    [InlineData(80)]
    [InlineData(120)]
    public void A_long_name_is_cut_and_letters_of_two_columns_count_twice(int width)
    {
        Assert.All(
            (ProgressRow[])[new(new string('x', 300)), new(string.Concat(Enumerable.Repeat("한국어", 60)), "more"), .. ProgressDisplay.Subscribers([_behind], 3)],
            row => Assert.InRange(row.Text(width).GetCellWidth(), 1, width));
        Assert.Equal(@"a\nb", new ProgressRow("a\nb").Text(width));
    }

    [Fact]
    public void A_subscriber_that_is_behind_has_a_sign_and_not_a_colour_alone()
    {
        var row = Assert.Single(ProgressDisplay.Subscribers([_behind], 3));
        Assert.True(row.IsMarked);
        Assert.Equal("! an-agent-with-a-very-lo…  16860 behind", row.Text(45));
        Assert.Equal("! an-agent-with-a-very-lo…, 16860 behind, 10000000 dropped, ws.json lockstep, 10000000 delivered, 2048.0 MiB wait", ProgressRow.Line([row]));
        Assert.False(Assert.Single(ProgressDisplay.Subscribers([_behind with { Queued = 15 }], 3)).IsMarked);
    }

    [Fact]
    public void Of_many_subscribers_the_slowest_are_named()
    {
        SubscriberState[] crowd = [.. Enumerable.Range(0, 20_000).Select(number => _behind with { Name = $"a{number}", Queued = number })];
        Assert.Equal(["! a19999  19999 behind", "! a19998  19998 behind", "and 19998 more  19984 behind"], Texts(3));
        Assert.Equal(ProgressDisplay.MostNamed + 1, Texts(1000).Count);
        Assert.Equal(["and 20000 more  19984 behind"], Texts(0));

        List<string> Texts(int most) => [.. ProgressDisplay.Subscribers(crowd, most).Select(row => row.Text(30))];
    }

    [Fact]
    public void The_rate_is_that_of_the_last_ten_seconds()
    {
        var clock = new ManualClock();
        var pace = new Pace(clock);
        Assert.Equal(0, pace.Measure(0));
        double rate = 0;
        for (var second = 1; second <= 30; second++)
        {
            clock.Now = TimeSpan.FromSeconds(second);
            rate = pace.Measure(second <= 15 ? second : 15 + (10 * (second - 15)));
        }

        Assert.Equal(10, rate);
        Assert.Equal(0, pace.Measure(0));
        Assert.Equal("0:02 left", ProgressRow.Left(15, rate));
        Assert.Equal("2:46:40 left", ProgressRow.Left(100_000, rate));
        Assert.Equal("", ProgressRow.Left(15, 0));
    }

    [Fact]
    public async Task Without_a_terminal_there_is_a_line_every_ten_seconds()
    {
        var written = new StringWriter();
        var console = new TerminalConsole(AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            Interactive = InteractionSupport.No,
            Out = new AnsiConsoleOutput(written),
        }));
        using var ended = new CancellationTokenSource();
        var (time, looks) = (new QuickTime(), 0);
        await console.ShowAsync(
            _ =>
            {
                if (++looks == 3)
                {
                    ended.Cancel();
                }

                return [new("a match"), new("1:00 left") { Done = looks / 10.0 }];
            },
            time, ended.Token);
        Assert.Equal(
            ["a match; 10 %, 1:00 left", "a match; 20 %, 1:00 left", "a match; 30 %, 1:00 left"],
            written.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
        Assert.Equal(Enumerable.Repeat(TimeSpan.FromSeconds(10), 3), time.Waits);
    }

    [Theory]
    [InlineData("out/match.mcap", "out/match.mcap")]
    [InlineData("a b/it's", @"'a b/it'\''s'")]
    [InlineData("", "''")]
    [InlineData("$(rm -rf x)", "'$(rm -rf x)'")]
    [InlineData("~x", "'~x'")]
    public void A_word_is_in_quotes_if_a_shell_needs_them(string word, string quoted)
    {
        Assert.SkipUnless(!OperatingSystem.IsWindows(), "Windows quotes in another way");
        Assert.Equal(quoted, ShellWord.Of(word));
    }

    [Fact]
    public void A_path_in_the_current_folder_begins_there()
    {
        Assert.Equal(Path.Combine("a", "b.mcap"), ShellWord.OfPath(Path.Combine(Directory.GetCurrentDirectory(), "a", "b.mcap")));
        Assert.Equal(Path.Combine(".", "-b"), ShellWord.OfPath("-b"));
        Assert.Equal(ShellWord.Of(Path.GetFullPath("..")), ShellWord.OfPath(".."));
    }

    // Every wait is over at once.
    private sealed class QuickTime : TimeProvider
    {
        public List<TimeSpan> Waits { get; } = [];

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Waits.Add(dueTime);
            callback(state);
            return base.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
    }
}
