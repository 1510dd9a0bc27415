using System.CommandLine;
using Sc2Bridge.Delivery.Benchmarks;
using Sc2Bridge.Measuring;

var root = new RootCommand("Measures delivery: what the bridge adds to the server it stands on, and what readers cost.")
{
    DeliveryCommand.Create(),
    AllocationsCommand.Create(),
    FanOutCommand.Create(),
    PacingCommand.Create(),
    ObservationsCommand.Create(),
    PlayingCommand.Create(),
    ProxyCommand.Create(),
    ActingCommand.Create(),
    Readers.Create(),
    MemoryCommand.Create(),
    Visitors.Create(),
};
try
{
    if (FrameGame.IsMeant(args))
    {
        return await FrameGame.RunAsync(args[1..], CancellationToken.None);
    }

    if (ProxyHost.IsMeant(args))
    {
        return await ProxyHost.RunAsync(args[1..]);
    }

    return await root.Parse(args).InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
}
catch (MeasuringException exception)
{
    await Console.Error.WriteLineAsync($"error: {exception.Message}");
    return 1;
}

/// <summary>Options that several commands share.</summary>
internal static class CommonOptions
{
    public static Option<string?> Frames() => new("--frames")
    {
        Description = "A folder of serialized ResponseObservations (*.pb) to send in rotation; "
            + "else a late stretch of a simulated match",
    };

    public static Option<T> Number<T>(string name, string description, T usual) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => usual,
    };

    public static Option<FileInfo?> Json() => new("--json") { Description = "Write the raw results here" };
}
