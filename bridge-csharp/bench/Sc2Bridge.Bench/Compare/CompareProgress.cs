using System.Diagnostics;
using System.Globalization;
using Spectre.Console;

namespace Sc2Bridge.Bench;

/// <summary>A bar with an estimate on a terminal, and a line now and then elsewhere.</summary>
internal static class CompareProgress
{
    private static readonly TimeSpan BetweenLines = TimeSpan.FromSeconds(10);

    /// <summary>Shows how far some work is while it runs.</summary>
    /// <param name="console">The terminal.</param>
    /// <param name="work">Gets what to tell its progress.</param>
    internal static Task ShowAsync(IAnsiConsole console, Func<Action<ComparisonProgress>, Task> work) =>
        console.Profile.Capabilities.Interactive ? BarAsync(console, work) : LinesAsync(work);

    /// <summary>A time as a person says it.</summary>
    internal static string Duration(double seconds) => seconds < 120
        ? string.Create(CultureInfo.InvariantCulture, $"{seconds:0} s")
        : string.Create(CultureInfo.InvariantCulture, $"{seconds / 60:0} minutes");

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
                var left = Stopwatch.GetElapsedTime(begun) / progress.Done * (progress.Total - progress.Done);
                Console.Error.WriteLine(string.Create(
                    CultureInfo.InvariantCulture,
                    $"sc2bridge compare: {progress.Done / progress.Total * 100:0} %, ")
                    + $"{Duration(left.TotalSeconds)} left; {progress.Now}");
            }
        });
    }
}
