using Sc2Bridge.Terminal;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Which Python agents are started with.</summary>
public sealed class PythonInterpreterTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("bin", "sc2bridge")]
    [InlineData("Scripts", "sc2bridge.exe")]
    public void A_program_in_a_virtual_environment_takes_its_Python(string scripts, string program)
    {
        var path = Path.Combine(_folder.Path, scripts, program);
        Assert.Null(PythonInterpreter.Around(path));
        File.WriteAllText(Path.Combine(_folder.Path, "pyvenv.cfg"), "");
        Assert.Equal(_folder.Path, PythonInterpreter.Around(path));
    }

    [Fact]
    public void One_that_was_asked_for_comes_first() => Assert.Equal("pypy3", PythonInterpreter.Find("pypy3"));
}
