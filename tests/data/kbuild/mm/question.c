#include "common.h"

int question(void)
{
	return 6 * 9;
}
