using Sc2Bridge.Fuzz.Tests;
using SharpFuzz;

// tools/fuzz starts this program with one of the first three arguments. Otherwise it runs the tests.
switch (args)
{
    case ["instrument", .. var assemblies]:
        foreach (var assembly in assemblies)
        {
            Fuzzer.Instrument(assembly, static _ => true, Options.Value);
        }

        return 0;
    case ["seeds", var folder]:
        foreach (var parser in OutsideParser.All)
        {
            var to = Directory.CreateDirectory(Path.Combine(folder, parser.Name)).FullName;
            foreach (var (seed, number) in parser.Seeds().Concat(parser.Kept()).Select((bytes, i) => (bytes, i)))
            {
                File.WriteAllBytes(Path.Combine(to, $"{number:0000}"), seed);
            }
        }

        return 0;
    case ["fuzz", var name]:
        var target = OutsideParser.All.Single(parser => parser.Name == name);
        Fuzzer.Run(input =>
        {
            using var bytes = new MemoryStream();
            input.CopyTo(bytes);
            target.Run(bytes.ToArray());
        });
        return 0;
    default:
        return await Xunit.Runner.InProc.SystemConsole.ConsoleRunner.Run(args);
}
