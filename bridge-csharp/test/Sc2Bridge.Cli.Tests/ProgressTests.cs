using System.Globalization;
using System.Text.RegularExpressions;
using Sc2Bridge.Streaming;
using Sc2Bridge.Terminal;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Sc2Bridge.Cli.Tests;

/// <summary>Rows that say how far something is: on terminals of several widths, and without a terminal.</summary>
public sealed class ProgressTests
{
    private static readonly SubscriberState _behind = new(
        "an-agent-with-a-very-long-name-1", "ws.json", V1.Policy.Lockstep, "match", 0, 16_860, 2L << 30, 10_000_000, 10_000_000, 1,
        Internal: false, HasEnded: false, HoldTime: TimeSpan.Zero);

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
            (ProgressRow[])[new(new string('x', 300)), new(string.Concat(Enumerable.Repeat("한국어", 60)), "more"), .. ProgressDisplay.SubscriberRows([_behind], 3)],
            row => Assert.InRange(row.Text(width).GetCellWidth(), 1, width));
        Assert.Equal(@"a\nb", new ProgressRow("a\nb").Text(width));
    }

    [Fact]
    public void A_subscriber_that_is_behind_has_a_sign_and_not_a_colour_alone()
    {
        var row = Assert.Single(ProgressDisplay.SubscriberRows([_behind], 3));
        Assert.True(row.IsWarning);
        Assert.Equal("! an-agent-with-a-very-lo…  16860 behind", row.Text(45));
        Assert.Equal("! an-agent-with-a-very-lo…, 16860 behind, 10000000 dropped, ws.json lockstep, 10000000 delivered, 2048.0 MiB wait", ProgressRow.JoinAsLine([row]));
        Assert.False(Assert.Single(ProgressDisplay.SubscriberRows([_behind with { Queued = 15 }], 3)).IsWarning);
    }

    [Fact]
    public void Of_many_subscribers_the_slowest_are_named()
    {
        SubscriberState[] crowd = [.. Enumerable.Range(0, 20_000).Select(number => _behind with { Name = $"a{number}", Queued = number })];
        Assert.Equal(["! a19999  19999 behind", "! a19998  19998 behind", "and 19998 more  19984 behind"], Texts(3));
        Assert.Equal(ProgressDisplay.MaxNamed + 1, Texts(1000).Count);
        Assert.Equal(["and 20000 more  19984 behind"], Texts(0));

        List<string> Texts(int most) => [.. ProgressDisplay.SubscriberRows(crowd, most).Select(row => row.Text(30))];
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
        Assert.Equal("0:02 left", ProgressRow.TimeLeft(15, rate));
        Assert.Equal("2:46:40 left", ProgressRow.TimeLeft(100_000, rate));
        Assert.Equal("", ProgressRow.TimeLeft(15, 0));
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
        await console.ShowProgressAsync(
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

    [Fact]
    public async Task Lines_that_are_printed_while_the_rows_are_removed_stay_and_no_row_stays()
    {
        using var ended = new CancellationTokenSource();
        var screen = new Screen();
        List<Thread> printers = [];
        TerminalConsole? console = null;
        var terminal = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = AnsiSupport.Yes, Interactive = InteractionSupport.Yes, Out = screen });
        console = new TerminalConsole(new Watched(terminal, () =>
        {
            if (ended.IsCancellationRequested)
            {
                var line = $"line {printers.Count}";
                var printer = new Thread(() => console!.WriteLine(line));
                printers.Add(printer);
                printer.Start();
                Assert.True(SpinWait.SpinUntil(() => (printer.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0, TimeSpan.FromSeconds(10)));
            }
        }));
        var display = Task.Run(
            () => console.ShowProgressAsync(
                _ =>
                {
                    ended.CancelAfter(TimeSpan.Zero);
                    return [new("a row"), new("another row")];
                },
                TimeProvider.System, ended.Token),
            CancellationToken.None);
        await display.WaitAsync(TimeSpan.FromSeconds(20), CancellationToken.None);
        Assert.All(printers, printer => Assert.True(printer.Join(TimeSpan.FromSeconds(10))));
        Assert.NotEmpty(printers);
        Assert.Equal(Enumerable.Range(0, printers.Count).Select(line => $"line {line}"), screen.Lines().Order());
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
        Assert.Equal(quoted, ShellWord.Quote(word));
    }

    [Fact]
    public void A_path_in_the_current_folder_begins_there()
    {
        Assert.Equal(Path.Combine("a", "b.mcap"), ShellWord.QuotePath(Path.Combine(Directory.GetCurrentDirectory(), "a", "b.mcap")));
        Assert.Equal(Path.Combine(".", "-b"), ShellWord.QuotePath("-b"));
        Assert.Equal(ShellWord.Quote(Path.GetFullPath("..")), ShellWord.QuotePath(".."));
    }

    // Says when codes are written, such as those that remove the rows.
    private sealed class Watched(IAnsiConsole console, Action beforeCodes) : IAnsiConsole
    {
        public Profile Profile => console.Profile;

        public IAnsiConsoleCursor Cursor => console.Cursor;

        public IAnsiConsoleInput Input => console.Input;

        public IExclusivityMode ExclusivityMode => console.ExclusivityMode;

        public RenderPipeline Pipeline => console.Pipeline;

        public void Clear(bool home) => console.Clear(home);

        public void Write(IRenderable renderable)
        {
            if (renderable is ControlCode)
            {
                beforeCodes();
            }

            console.Write(renderable);
        }
    }

    // A terminal that knows the codes of Spectre.Console: a row up, erase a row, colours and the cursor.
    private sealed class Screen : IAnsiConsoleOutput
    {
        public TextWriter Writer { get; } = new StringWriter();

        public bool IsTerminal => true;

        public int Width => 80;

        public int Height => 40;

        public void SetEncoding(System.Text.Encoding encoding)
        {
        }

        public IEnumerable<string> Lines()
        {
            List<string> rows = [""];
            var (row, column) = (0, 0);
            foreach (var groups in Regex.Matches(Writer.ToString()!, @"\e\[\??(?<count>\d*)[\d;]*(?<code>[A-Za-z])|(?<code>[\r\n])|(?<text>[^\e\r\n]+)")
                .Select(match => match.Groups))
            {
                switch (groups["code"].Value)
                {
                    case "A":
                        row -= int.Parse(groups["count"].Value, CultureInfo.InvariantCulture);
                        break;
                    case "K":
                        rows[row] = "";
                        break;
                    case "\r":
                        column = 0;
                        break;
                    case "\n":
                        (row, column) = (row + 1, 0);
                        rows.AddRange(Enumerable.Repeat("", Math.Max(0, row + 1 - rows.Count)));
                        break;
                    default:
                        var text = groups["text"].Value;
                        var old = rows[row].PadRight(column + text.Length);
                        rows[row] = old[..column] + text + old[(column + text.Length)..];
                        column += text.Length;
                        break;
                }
            }

            return rows.Select(one => one.TrimEnd()).Where(one => one.Length > 0);
        }
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
