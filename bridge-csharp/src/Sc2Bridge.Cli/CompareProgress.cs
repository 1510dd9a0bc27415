using System.Diagnostics;
using System.Globalization;
using Sc2Bridge.Comparing.Running;
using Spectre.Console;

namespace Sc2Bridge.Cli;

/// <summary>A bar with an estimate on a terminal, and a line now and then elsewhere.</summary>
internal static class CompareProgress
{
    private static readonly TimeSpan BetweenLines = TimeSpan.FromSeconds(10);

    /// <summary>Shows how far some work is while it runs.</summary>
    /// <param name="console">The terminal.</param>
    /// <param name="work">Gets what to tell its progress.</param>
    internal static Task ShowAsync(IAnsiConsole console, Func<Action<ComparisonProgress>, Task> work) =>
        console.Profile.Capabilities.Interactive ? BarAsync(console, work) : LinesAsync(work);

    private static Task BarAsync(IAnsiConsole console, Func<Action<ComparisonProgress>, Task> work)
    {
        ProgressColumn[] columns =
            [new ProgressBarColumn(), new PercentageColumn(), new RemainingTimeColumn(), new TaskDescriptionColumn()];
        return console.Progress().Columns(columns).StartAsync(async context =>
        {
            var bar = context.AddTask("starting");
            await work(progress =>
            {
                bar.MaxValue = progress.Total;
                bar.Value = progress.Done;
                bar.Description = Markup.Escape(progress.Now);
            });
        });
    }

    private static Task LinesAsync(Func<Action<ComparisonProgress>, Task> work)
    {
        var (begun, said) = (Stopwatch.GetTimestamp(), 0L);
        return work(progress =>
        {
            if (progress.Done > 0 && Stopwatch.GetElapsedTime(said) >= BetweenLines)
            {
                said = Stopwatch.GetTimestamp();
                var each = Stopwatch.GetElapsedTime(begun) / progress.Done;
                Console.Error.WriteLine(string.Create(
                    CultureInfo.InvariantCulture,
                    $"sc2bridge compare: {progress.Done} of {progress.Total}, ")
                    + string.Create(
                        CultureInfo.InvariantCulture,
                        $"{(each * (progress.Total - progress.Done)).TotalSeconds:0} s left; {progress.Now}"));
            }
        });
    }
}
