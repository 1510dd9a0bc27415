using System.CommandLine;
using Sc2Bridge.Codec.Benchmarks;

var root = new RootCommand("Measures the codecs beside the libraries' own, in one process and in turns.")
{
    FramesCommand.Create(),
    JsonCommand.Create(),
    ColumnsCommand.Create(),
    JsonReadCommand.Create(),
    ZstdCommand.Create(),
    MessagesCommand.Create(),
};
try
{
    return await root.Parse(args).InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
}
catch (MeasuringException exception)
{
    await Console.Error.WriteLineAsync($"error: {exception.Message}");
    return 1;
}
