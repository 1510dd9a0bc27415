using System.CommandLine;
using Sc2Bridge.Recording.Benchmarks;
using Sc2Bridge.Recordings;

var root = new RootCommand("Measures recordings beside what they are made of, in one process and in turns.")
{
    RecordCommand.Create(),
    MemoryCommand.Create(),
    ReadCommand.Create(),
};
try
{
    return await root.Parse(args).InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
}
catch (Exception exception) when (exception is MeasuringException or RecordingException)
{
    await Console.Error.WriteLineAsync($"error: {exception.Message}");
    return 1;
}
