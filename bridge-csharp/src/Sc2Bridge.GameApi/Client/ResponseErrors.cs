using SC2APIProtocol;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The errors in an answer. An answer without a body has the list <c>Response.error</c>. Some bodies (ResponseCreateGame, ResponseJoinGame,
/// ResponseStartReplay …) have the fields <c>error</c> (an enum) and <c>error_details</c>.
/// </summary>
internal static class ResponseErrors
{
    internal static void ThrowIfRefused(Request.RequestOneofCase request, Response response)
    {
        if (response.ResponseCase == Response.ResponseOneofCase.None)
        {
            throw new GameRequestException(request, [.. response.Error]);
        }

        if (TypedError(response) is { } typed)
        {
            throw new GameRequestException(request, [typed, .. response.Error]);
        }
    }

    // Finds the two fields by reflection, because their names are the same in every body. So this method also finds the error of a body
    // that gets the fields in a later version of the API.
    private static string? TypedError(Response response)
    {
        var body = Response.Descriptor.FindFieldByNumber((int)response.ResponseCase);
        if (body.MessageType.FindFieldByName("error") is not { IsRepeated: false } error ||
            body.Accessor.GetValue(response) is not Google.Protobuf.IMessage message ||
            !error.Accessor.HasValue(message))
        {
            return null;
        }

        var name = error.Accessor.GetValue(message).ToString();
        var details = body.MessageType.FindFieldByName("error_details");
        return details is not null && details.Accessor.HasValue(message)
            ? $"{name} ({details.Accessor.GetValue(message)})"
            : name;
    }
}
